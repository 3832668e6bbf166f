import { describe, expect, test } from "vitest";
import { heldFetch, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

/** Ways in which a target's row cannot be read back. */
const BREAKS: [string, string][] = [
  ["options that are no JSON", "update batch_target set options = '{broken' where job_id = ? and idx = 1"],
  ["options that are no object", "update batch_target set options = '5' where job_id = ? and idx = 1"],
  ["options that are a blob", "update batch_target set options = x'ff00' where job_id = ? and idx = 1"],
  ["a url that is a blob", "update batch_target set url = x'ff00' where job_id = ? and idx = 1"],
  ["a row that is gone", "delete from batch_target where job_id = ? and idx = 1"],
];

async function startOnFile(maxBytes = 0) {
  const { store, raw } = await openStoreFile();
  const held = heldFetch();
  return { ...(await startRunner({ store, fetch: held.fetch, maxBytes, ttlMs: 10_000 })), raw, held };
}

describe("a target whose row cannot be read back fails as `internal error`, unfetched; its job and others go on", () => {
  test.each(BREAKS)("%s", async (name, sql) => {
    const { runner, raw, held, lines, submit } = await startOnFile();
    const id = await submit("ann", "a", "broken", "c");
    const first = await held.next();
    raw.prepare(sql).run(id);
    const other = await submit("bob", "b");
    first.succeed();
    for (let count = 0; count < 2; count++) (await held.next()).succeed();
    await runner.idle();
    await settled();

    expect([...held.urls].sort()).toEqual(["a", "b", "c"]);
    const rows = jobRows(raw, id);
    const gone = name === "a row that is gone";
    expect(rows).toEqual({
      job: { status: "partial", error: "", done: 3, failed: 1 },
      targets: gone ? ["done", "done"] : ["done", "failed: internal error", "done"],
    });
    expect(jobRows(raw, other).job?.status).toBe("done");
    expect(lines.filter((line) => /^(target|job [dpf])/.test(line)).sort()).toEqual([
      ...["job done", "job partial"],
      ...["target internal error", "target ok 15", "target ok 15", "target ok 15"],
    ]);
    const told = (await runner.status(id))?.targets.map(({ status, error }) => [status, error]);
    const broken = ["failed", "internal error"];
    expect(told).toEqual(
      gone
        ? [
            ["done", ""],
            ["done", ""],
          ]
        : [["done", ""], broken, ["done", ""]],
    );
  });
});

test("a broken row after its target was stored: `status` and `results` still answer for all of the job", async () => {
  const { runner, raw, held, submit } = await startOnFile();
  const id = await submit("ann", "a", "b");
  for (let count = 0; count < 2; count++) (await held.next()).succeed();
  await runner.idle();
  raw.prepare("update batch_target set result = '{broken' where job_id = ? and idx = 0").run(id);
  const targets = (await runner.status(id))?.targets;
  expect(targets).toEqual([
    { index: 0, url: "a", options: {}, status: "failed", error: "internal error", hint: "", attempts: 1 },
    { index: 1, url: "b", options: {}, status: "done", result: { content: "b" }, error: "", hint: "", attempts: 1 },
  ]);
  const paged: unknown[] = [];
  for await (const target of runner.results(id)) paged.push(target);
  expect(paged).toEqual(targets);
});

test.each(BREAKS)("a job with a broken row is still swept and evicted: %s", async (_name, sql) => {
  const { runner, clock, raw, held, submit } = await startOnFile(100);
  const ids = () => raw.prepare("select id from batch_job").pluck().all();
  const left = () => raw.prepare("select count(*) from batch_target").pluck().get();
  const swept = await submit("ann", "a", "b");
  for (let count = 0; count < 2; count++) (await held.next()).succeed();
  await runner.idle();
  raw.prepare(sql).run(swept);
  clock.increment(11_000);
  const evicted = await submit("bob", "b1", "b2");
  expect(ids()).toEqual([evicted]);
  for (let count = 0; count < 2; count++) (await held.next()).succeed();
  await runner.idle();
  raw.prepare(sql).run(evicted);
  await submit("cem", "c");
  (await held.next()).succeed({ content: "x".repeat(100) });
  await runner.idle();
  await settled();
  expect([ids(), left()]).toEqual([[], 0]);
});
