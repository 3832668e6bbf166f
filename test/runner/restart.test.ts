import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import { BatchError, createBatchRunner, openSqliteStore, RetryLaterError } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { logIntoMemory } from "../support/log-lines.js";
import { runScript } from "../support/run-script.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { freshPath, openRaw } from "../support/stores.js";

const ok = () => ({ content: "" });

/** Writes a job as a process that died would have left it. */
function leave(raw: Database, id: string, status: string, targets: string[]): void {
  const done = targets.filter((target) => target === "done" || target === "failed").length;
  raw
    .prepare(
      `insert into batch_job (id, caller, caller_class, idem_key, status, targets_total, targets_done, created_at, lease)
       values (?, 'ann', '', ?, ?, ?, ?, unixepoch(), unixepoch())`,
    )
    .run(id, `key of ${id}`, status, targets.length, done);
  const insert = raw.prepare("insert into batch_target (job_id, idx, url, status, attempts) values (?, ?, ?, ?, 1)");
  for (const [index, target] of targets.entries()) insert.run(id, index, `u${index}`, target);
}

test("a job left live by a dead process fails as `interrupted` at the start, its running target back to pending", async () => {
  const { store, raw } = await openStoreFile();
  leave(raw, "running", "running", ["done", "running", "pending"]);
  leave(raw, "queued", "queued", ["pending"]);
  leave(raw, "cancelled", "cancelled", ["running", "pending"]);
  leave(raw, "done", "done", ["done"]);
  leave(raw, "partial", "partial", ["done", "failed"]);
  const log = logIntoMemory();
  const { lines, runner } = await startRunner({ store, fetch: ok, clock: systemTime(), logger: log.logger });

  const rows = Object.fromEntries(
    ["running", "queued", "cancelled", "done", "partial"].map((id) => [id, jobRows(raw, id)]),
  );
  const job = (status: string, error: string, done: number) => ({ status, error, done, failed: 0 });
  expect(rows).toEqual({
    running: { job: job("failed", "interrupted", 1), targets: ["done", "pending", "pending"] },
    queued: { job: job("failed", "interrupted", 0), targets: ["pending"] },
    cancelled: { job: job("cancelled", "", 0), targets: ["pending", "pending"] },
    done: { job: job("done", "", 1), targets: ["done"] },
    partial: { job: job("partial", "", 2), targets: ["done", "failed"] },
  });
  expect(lines).toEqual(["job failed", "job failed"]);
  expect(runner.gauges.getSnapshot().context).toEqual({ live: 0, inflight: 0 });
  expect(log.warnings().map(({ jobId }) => jobId)).toEqual(["running", "queued"]);
  await runner.idle();
});

/** The machine's wall clock, with timers that never fire. */
function systemTime() {
  return { now: () => Date.now(), setTimeout: () => 0, clearTimeout: () => {} };
}

test("its slot is free and a resubmit starts afresh", async () => {
  const { store, raw } = await openStoreFile();
  const held = heldFetch({ ignoreAbort: true });
  const first = await startRunner({ store, fetch: held.fetch, jobsPerCaller: 1, jobsTotal: 1 });
  const id = await first.submit("ann", "a", "b");
  const call = await held.next();
  const closing = first.runner.close({ timeoutMs: 1 });
  first.clock.increment(1);
  await closing;
  call.succeed();
  expect(jobRows(raw, id).targets).toEqual(["running", "pending"]);

  const second = await startRunner({ store, fetch: ok, jobsPerCaller: 1, jobsTotal: 1 });
  const again = await second.submit("ann", "a", "b");
  await second.runner.idle();
  await settled();
  expect(again).not.toBe(id);
  expect([jobRows(raw, id).job, jobRows(raw, again).job]).toEqual([
    { status: "failed", error: "interrupted", done: 0, failed: 0 },
    { status: "done", error: "", done: 2, failed: 0 },
  ]);
  expect(second.lines.filter((line) => line.startsWith("job"))).toEqual([
    "job failed",
    "job created",
    "job done",
    "jobSeconds",
  ]);
});

test("the hooks of what was left are told before `createBatchRunner` resolves, and without `jobSeconds` or `target`", async () => {
  const { store, raw } = await openStoreFile();
  leave(raw, "running", "running", ["running"]);
  const told: string[] = [];
  const tell = (name: string) => (value: unknown) => told.push(`${name} ${value}`);
  const runner = await createBatchRunner({
    store,
    fetch: ok,
    hooks: {
      job: tell("job"),
      jobSeconds: tell("jobSeconds"),
      target: tell("target"),
      depth: tell("depth"),
      inflight: tell("inflight"),
    },
  });
  told.push("created");
  await settled();
  await runner.close();
  expect(told).toEqual(["job failed", "created"]);
});

test("a clean close leaves nothing that a start has to tell of, but jobs that were still live", async () => {
  const { store } = await openStoreFile();
  const first = await startRunner({
    store,
    fetch(target) {
      if (target.url === "busy") throw new RetryLaterError();
      return { content: "" };
    },
  });
  await first.submit("ann", "a");
  await first.submit("bob", "busy");
  await settled();
  await first.runner.close();
  const second = await startRunner({ store, fetch: ok });
  expect(second.lines).toEqual(["job failed"]);
  await second.runner.close();
  const third = await startRunner({ store, fetch: ok });
  expect(third.lines).toEqual([]);
});

test("the store of a process that was killed is free at once, and its job is interrupted", async () => {
  const path = freshPath();
  const script = runScript(
    `const store = await fairbatch.openSqliteStore(process.argv[1]);
     const fetch = () => { console.log("fetching"); return new Promise(() => {}); };
     const runner = await fairbatch.createBatchRunner({ store, fetch });
     await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [{ url: "a" }, { url: "b" }] });
     globalThis.kept = runner;
     setInterval(() => {}, 1000);`,
    path,
  );
  await script.printed("fetching");
  const store = await openSqliteStore(path);
  const raw = openRaw(path);
  const id = raw.prepare("select id from batch_job").pluck().get() as string;
  await expect(createBatchRunner({ store, fetch: ok })).rejects.toEqual(new BatchError("ERR_STORE_IN_USE"));
  expect(jobRows(raw, id)).toEqual({
    job: { status: "running", error: "", done: 0, failed: 0 },
    targets: ["running", "pending"],
  });

  script.child.kill("SIGKILL");
  await script.ended;
  const runner = await createBatchRunner({ store, fetch: ok });
  expect(jobRows(raw, id)).toEqual({
    job: { status: "failed", error: "interrupted", done: 0, failed: 0 },
    targets: ["pending", "pending"],
  });
  await runner.close();
  await store.close();
});

test("a runner that its host holds no reference to still owns its store, whatever the garbage collector takes", async () => {
  const path = freshPath();
  const script = runScript(
    `const { setFlagsFromString } = await import("node:v8");
     const { runInNewContext } = await import("node:vm");
     setFlagsFromString("--expose-gc");
     const store = await fairbatch.openSqliteStore(process.argv[1]);
     const fetch = () => new Promise((resolve) => setTimeout(resolve, 60_000, { content: "" }));
     await (async () => {
       const runner = await fairbatch.createBatchRunner({ store, fetch });
       await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [{ url: "a" }] });
     })();
     for (let time = 0; time < 5; time++) {
       // What a finalizer lets go of is only found by a later round.
       for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
       runInNewContext("gc")();
     }
     console.log("collected");`,
    path,
  );
  await script.printed("collected");
  const store = await openSqliteStore(path);
  const second = createBatchRunner({ store, fetch: ok });
  await expect(second.then((runner) => runner.close())).rejects.toEqual(new BatchError("ERR_STORE_IN_USE"));
  await store.close();
});
