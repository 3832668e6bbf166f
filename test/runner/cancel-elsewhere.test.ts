import type { Database } from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSqliteStore, RetryLaterError } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { startOnManualClock } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

/** A runner on a file, and a store of its own on the same file, as another process would have it. */
async function startOnFile() {
  const { path, store, raw } = await openStoreFile();
  const elsewhere = await openSqliteStore(path);
  onTestFinished(() => elsewhere.close());
  const held = heldFetch();
  const started = await startOnManualClock({ store, fetch: held.fetch, jobsPerCaller: 1 });
  return { ...started, elsewhere, raw, held };
}

test("R5: a cancel made elsewhere while a target is in flight is found before the next one, and told once", async () => {
  const { runner, elsewhere, raw, held, lines, submit } = await startOnFile();
  const id = await submit("ann", "a", "b");
  const call = await held.next();
  const watched = untilTerminal(runner, id);
  expect(await elsewhere.cancel(id)).toBe(true);
  await settled();
  expect(lines).toEqual(["depth 1", "job created", "inflight 1"]);
  call.succeed();
  await settled();
  expect(jobRows(raw, id)).toEqual({
    job: { status: "cancelled", error: "", done: 1, failed: 0 },
    targets: ["done", "pending"],
  });
  expect(lines.slice(3)).toEqual(["inflight 0", "target ok 15", "depth 0", "job cancelled"]);
  expect(await watched).toMatchObject({ id, status: "cancelled", targetsDone: 1 });
  expect(held.urls).toEqual(["a"]);
});

test("R5: a cancel made elsewhere while the last target is in flight wins over its end", async () => {
  const { elsewhere, raw, held, lines, submit } = await startOnFile();
  const id = await submit("ann", "a");
  const call = await held.next();
  await elsewhere.cancel(id);
  call.succeed();
  await settled();
  expect(jobRows(raw, id)).toEqual({ job: { status: "cancelled", error: "", done: 1, failed: 0 }, targets: ["done"] });
  expect(lines.slice(3)).toEqual(["inflight 0", "target ok 15", "depth 0", "job cancelled"]);
});

test("R5: a cancel made elsewhere of a queued job is found before its first target", async () => {
  const { runner, elsewhere, raw, held, lines, submit } = await startOnFile();
  await submit("ann", "a");
  const call = await held.next();
  const id = await submit("bob", "b");
  const told = lines.length;
  expect(await elsewhere.cancel(id)).toBe(true);
  expect(await runner.cancel(id)).toBe(false);
  await submit("bob", "the slot is free");
  call.succeed();
  const next = await held.next();
  expect(next.target.url).toBe("the slot is free");
  expect(jobRows(raw, id).targets).toEqual(["pending"]);
  expect(lines.slice(told)).toEqual([
    ...["depth 3", "job created"],
    ...["inflight 0", "depth 2", "target ok 15", "job done", "jobSeconds"],
    ...["depth 1", "job cancelled", "inflight 1"],
  ]);
  next.succeed();
  await runner.idle();
});

test("R5: a cancel made elsewhere of a job that waits to retry is found before the next try", async () => {
  const { runner, clock, elsewhere, raw, held, lines, submit } = await startOnFile();
  const id = await submit("ann", "a");
  (await held.next()).fail(new RetryLaterError());
  await settled();
  await elsewhere.cancel(id);
  clock.jump(2_000);
  await runner.idle();
  expect(held.urls).toEqual(["a"]);
  expect(jobRows(raw, id)).toEqual({
    job: { status: "cancelled", error: "", done: 0, failed: 0 },
    targets: ["pending"],
  });
  expect(lines.slice(-2)).toEqual(["depth 0", "job cancelled"]);
});

test("R5: a retry-later answer after a cancel made elsewhere leaves no timer, and is told", async () => {
  const { runner, clock, elsewhere, raw, held, lines, submit } = await startOnFile();
  const id = await submit("ann", "a");
  const call = await held.next();
  await elsewhere.cancel(id);
  call.fail(new RetryLaterError());
  await runner.idle();
  expect(clock.waits).toEqual([]);
  expect(jobRows(raw, id).targets).toEqual(["pending"]);
  expect(lines.slice(3)).toEqual(["inflight 0", "depth 0", "job cancelled"]);
});

const remove = (raw: Database, id: string) => {
  raw.prepare("delete from batch_target where job_id = ?").run(id);
  raw.prepare("delete from batch_job where id = ?").run(id);
};

describe("a job whose rows vanish under the runner is treated as cancelled elsewhere", () => {
  test.each([
    ["the first of two targets", ["a", "b"], "succeed", ["target ok 15"]],
    ["the last target", ["a"], "succeed", ["target ok 15"]],
    ["a failing target", ["a"], "fail", ["target nope"]],
  ] as const)("while in flight: %s", async (_name, urls, how, told) => {
    const { runner, raw, held, lines, submit } = await startOnFile();
    const id = await submit("ann", ...urls);
    const call = await held.next();
    remove(raw, id);
    if (how === "fail") call.fail(new Error("nope"));
    else call.succeed();
    await runner.idle();
    await settled();
    expect(lines.slice(3)).toEqual(["inflight 0", ...told, "depth 0", "job cancelled"]);
    expect(held.urls).toEqual(["a"]);
    expect(await runner.status(id)).toBe(undefined);
  });

  test("while queued, and while waiting to retry", async () => {
    const { runner, clock, raw, held, lines, submit } = await startOnFile();
    const ann = await submit("ann", "a");
    const call = await held.next();
    const bob = await submit("bob", "b");
    remove(raw, bob);
    call.fail(new RetryLaterError());
    await settled();
    expect(lines.slice(-2)).toEqual(["depth 1", "job cancelled"]);
    remove(raw, ann);
    clock.jump(2_000);
    await runner.idle();
    expect(lines.slice(-2)).toEqual(["depth 0", "job cancelled"]);
    expect(held.urls).toEqual(["a"]);
  });

  test("and other jobs, and the same submit, go on", async () => {
    const { runner, raw, held, submit } = await startOnFile();
    const id = await submit("ann", "a");
    const call = await held.next();
    const other = await submit("bob", "b");
    remove(raw, id);
    const again = await submit("ann", "a");
    call.succeed();
    for (let count = 0; count < 2; count++) (await held.next()).succeed();
    await runner.idle();
    expect([jobRows(raw, id).job, jobRows(raw, other).job?.status, jobRows(raw, again).job?.status]).toEqual([
      undefined,
      "done",
      "done",
    ]);
    expect(again).not.toBe(id);
  });
});
