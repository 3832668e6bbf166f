import { expect, test } from "vitest";
import { TargetError } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { collect } from "../support/collect.js";
import { batchOf } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

test("R6: status is the job's row and its targets' rows, whatever state they are in", async () => {
  const held = heldFetch();
  const { runner, clock } = await startRunner({ fetch: held.fetch });
  clock.increment(7_999);
  const targets = ["u:1", "u:2", "u:3", "u:4"].map((url, index) => ({ url, options: { pages: `${index}` } }));
  const { id } = await runner.submit(batchOf(targets, { callerClass: "gold" }));
  (await held.next()).succeed({ content: "text", meta: { size: 4 } });
  (await held.next()).fail(new TargetError("not there", { hint: "look elsewhere", status: 404 }));
  await held.next();
  expect(await runner.status(id)).toEqual({
    job: {
      id,
      caller: "alice",
      callerClass: "gold",
      status: "running",
      error: "",
      targetsTotal: 4,
      targetsDone: 2,
      targetsFailed: 1,
      createdAt: 7,
    },
    targets: [
      {
        index: 0,
        url: "u:1",
        options: { pages: "0" },
        status: "done",
        result: { content: "text", meta: { size: 4 } },
        error: "",
        hint: "",
        attempts: 1,
      },
      {
        index: 1,
        url: "u:2",
        options: { pages: "1" },
        status: "failed",
        error: "not there",
        hint: "look elsewhere",
        attempts: 1,
      },
      { index: 2, url: "u:3", options: { pages: "2" }, status: "running", error: "", hint: "", attempts: 1 },
      { index: 3, url: "u:4", options: { pages: "3" }, status: "pending", error: "", hint: "", attempts: 0 },
    ],
  });
});

test("R6: what is done to a report changes nothing", async () => {
  const { runner, submit } = await startRunner({ fetch: () => ({ content: "text" }) });
  const id = await submit("alice", "u:1");
  await untilTerminal(runner, id);
  const before = await runner.status(id);
  const report = structuredClone(before);
  Object.assign(before?.job ?? {}, { status: "failed" });
  Object.assign(before?.targets[0] ?? {}, { url: "other", result: undefined });
  expect(await runner.status(id)).toEqual(report);
});

test.each(["", "nowhere", "0".repeat(32), "' or 1 = 1 --", "\0", "\ud83e"])(
  "R6: an unknown id is undefined, false or empty: %j",
  async (id) => {
    const { store, raw } = await openStoreFile();
    const { runner, submit } = await startRunner({ store, fetch: () => ({ content: "" }) });
    await untilTerminal(runner, await submit("alice", "u:1"));
    const before = raw.prepare("select * from batch_job").all();
    await runner.touch(id);
    expect([await runner.status(id), await collect(runner.results(id)), await runner.cancel(id)]).toEqual([
      undefined,
      [],
      false,
    ]);
    expect(raw.prepare("select * from batch_job").all()).toEqual(before);
  },
);

test("R6: no read writes: not of a job that runs, not of one that has ended", async () => {
  const { store, raw } = await openStoreFile();
  const held = heldFetch();
  const { runner, submit } = await startRunner({ store, fetch: held.fetch });
  const ended = await submit("alice", "u:1");
  (await held.next()).succeed();
  await untilTerminal(runner, ended);
  const running = await submit("alice", "u:2", "u:3");
  await held.next();
  await settled();
  const dataVersion = () => raw.pragma("data_version", { simple: true });
  const before = dataVersion();
  for (const id of [ended, running, "nowhere"]) {
    await runner.status(id);
    await collect(runner.results(id));
    for await (const _job of runner.watch(id)) break;
    await store.status(id);
  }
  await store.list({ caller: "alice", status: "done" });
  await settled();
  expect(dataVersion()).toBe(before);
  await runner.touch(ended);
  expect(dataVersion()).not.toBe(before);
});

test("R6: touch sets the lease to now and nothing else", async () => {
  const { store, raw } = await openStoreFile();
  const { runner, clock, submit } = await startRunner({ store, fetch: () => ({ content: "" }) });
  const id = await submit("alice", "u:1");
  const other = await submit("alice", "u:2");
  await runner.idle();
  const rowOf = (jobId: string) => raw.prepare("select * from batch_job where id = ?").get(jobId) as object;
  const before = [rowOf(id), rowOf(other)];
  clock.increment(5_999);
  await runner.touch(id);
  expect([rowOf(id), rowOf(other)]).toEqual([{ ...before[0], lease: 5 }, before[1]]);
});

test("R6: touch keeps an ended job from being swept", async () => {
  const { runner, clock, submit } = await startRunner({ fetch: () => ({ content: "" }), ttlMs: 10_000 });
  const touched = await submit("alice", "u:1");
  const left = await submit("alice", "u:2");
  await runner.idle();
  clock.increment(9_000);
  await runner.touch(touched);
  clock.increment(9_000);
  await submit("alice", "u:3");
  expect([(await runner.status(touched))?.job.status, await runner.status(left)]).toEqual(["done", undefined]);
});
