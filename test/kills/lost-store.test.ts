import { renameSync, rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { type BatchRunner, type BatchStore, createBatchRunner, openSqliteStore } from "../../src/index.js";
import { heldFetch, ManualClock, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { logIntoMemory } from "../support/log-lines.js";
import { startOnManualClock } from "../support/runner.js";
import { freshPath, openRaw } from "../support/stores.js";
import { unsoundRows } from "./unsound-rows.js";

const RETRY = { retryWaitMs: 1_000, retryForMs: 10_000 };

/** A runner on a file, with one job of two targets whose first is being fetched. */
async function startInMidFetch() {
  const path = freshPath();
  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  const held = heldFetch({ ignoreAbort: true });
  const log = logIntoMemory();
  const started = await startOnManualClock({ store, fetch: held.fetch, logger: log.logger, ...RETRY });
  const id = await started.submit("ann", "a", "b");
  return { ...started, store, path, held, log, id, call: await held.next() };
}

async function passSeconds(clock: ManualClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await settled();
    clock.jump(1_000);
  }
  await settled();
}

/** What each call of the API answers, by name: a value, or `an error`. */
async function answers(runner: BatchRunner, id: string): Promise<Record<string, unknown>> {
  const first = async (values: AsyncIterable<unknown>) => {
    for await (const _ of values) return "a value";
    return "nothing";
  };
  const calls: Record<string, () => Promise<unknown>> = {
    submit: () => runner.submit({ caller: { name: "bob" }, callerClass: "", targets: [{ url: "c" }] }),
    cancel: () => runner.cancel(id),
    status: () => runner.status(id),
    results: () => first(runner.results(id)),
    watch: () => first(runner.watch(id)),
    touch: () => runner.touch(id),
  };
  const answered = Object.entries(calls).map(async ([name, call]) => [
    name,
    await call().then(
      (value) => (typeof value === "boolean" || typeof value === "string" ? value : "a value"),
      () => "an error",
    ),
  ]);
  return Object.fromEntries(await Promise.all(answered));
}

/** What a new runner makes of what is left in a file. */
async function startAfresh(path: string) {
  const store: BatchStore = await openSqliteStore(path);
  const runner = await createBatchRunner({ store, fetch: ({ url }) => ({ content: url }), clock: new ManualClock() });
  const raw = openRaw(path);
  const again = await runner.submit({
    caller: { name: "ann" },
    callerClass: "",
    targets: [{ url: "a" }, { url: "b" }],
  });
  await runner.idle();
  await runner.close();
  await store.close();
  return { raw, again: again.id, unsound: unsoundRows(raw) };
}

test("R8: a store that is closed under its runner: every call answers, the job ends from memory, and the next start puts the file right", async () => {
  const { runner, store, path, clock, held, log, lines, id, call } = await startInMidFetch();
  await store.close();
  call.succeed();
  await settled();
  const failing = {
    submit: "an error",
    cancel: "an error",
    status: "an error",
    results: "an error",
    touch: "an error",
  };
  expect(await answers(runner, id)).toEqual({ ...failing, watch: "a value" });
  await passSeconds(clock, 12);
  await runner.idle();
  expect([held.urls, lines.slice(3)]).toEqual([
    ["a"],
    [...["inflight 0", "target ok 15"], ...["depth 0", "target internal error", "job partial", "jobSeconds"]],
  ]);
  expect(await answers(runner, id)).toEqual({ ...failing, cancel: false, watch: "a value" });
  await passSeconds(clock, 600);
  expect([log.warnings().length <= 6, clock.waits.length]).toEqual([true, 1]);
  await runner.close();
  expect(clock.waits).toEqual([]);

  const { raw, again, unsound } = await startAfresh(path);
  expect([jobRows(raw, id), jobRows(raw, again).job?.status, unsound]).toEqual([
    { job: { status: "failed", error: "interrupted", done: 0, failed: 0 }, targets: ["pending", "pending"] },
    "done",
    [],
  ]);
});

test("R8: a file that is removed under its runner: the job ends as if it were there, and the next start makes a new one", async () => {
  const { runner, store, path, held, lines, id, call, log } = await startInMidFetch();
  for (const part of ["", "-wal", "-shm"]) rmSync(`${path}${part}`);
  call.succeed();
  (await held.next()).succeed();
  await runner.idle();
  expect([lines.slice(-2), (await runner.status(id))?.job.status, log.warnings()]).toEqual([
    ["job done", "jobSeconds"],
    "done",
    [],
  ]);
  await runner.close();
  await store.close();
  const { raw, again, unsound } = await startAfresh(path);
  expect([jobRows(raw, id).job, jobRows(raw, again).job?.status, unsound]).toEqual([undefined, "done", []]);
});

test("R8: a file that is moved under its runner holds all that was told, where it is now", async () => {
  const { runner, store, path, held, lines, id, call, log } = await startInMidFetch();
  for (const part of ["", "-wal", "-shm"]) renameSync(`${path}${part}`, `${path}-moved${part}`);
  call.succeed();
  (await held.next()).succeed();
  await runner.idle();
  expect([lines.slice(-2), log.warnings()]).toEqual([["job done", "jobSeconds"], []]);
  await runner.close();
  await store.close();
  const { raw, again, unsound } = await startAfresh(`${path}-moved`);
  expect([again, jobRows(raw, id), unsound]).toEqual([
    id,
    { job: { status: "done", error: "", done: 2, failed: 0 }, targets: ["done", "done"] },
    [],
  ]);
});
