import { copyFileSync, existsSync, statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { logOf, ownCheckpoints, untilThread, watchThreads, write } from "../support/checkpoint-threads.js";
import { admitJob, done, freshPath, openRaw, openWithConnection, request, targets } from "../support/stores.js";

const MIB = 1024 * 1024;
/** Later than any lease that is written before the thread is at work. */
const FAR_SECOND = 1_000_000;

/** The lease of the job a, as the database file says by itself, without its log. */
function leaseInFile(path: string): number | undefined {
  const copy = `${path}-copy`;
  copyFileSync(path, copy);
  const copied = new Sqlite(copy, { readonly: true });
  try {
    return copied.prepare<[], number>("select lease from batch_job where id = 'a'").pluck().get();
  } finally {
    copied.close();
  }
}

test.each(["normal", "full"] as const)(
  "design 4: a thread copies the log into the file while the store is open and written, and not its connection (%s)",
  async (synchronous) => {
    const path = freshPath();
    const { store, connection } = await openWithConnection(path, { synchronous });
    await admitJob(store, "a");
    await untilThread(store, connection);
    expect(ownCheckpoints(connection)).toBe(8_000);
    await write(store, 1_500, FAR_SECOND);
    await vi.waitFor(
      async () => {
        // More is written, as what it has copied may be older; what it is just writing is a file to be read again.
        await write(store, 64, FAR_SECOND);
        expect(leaseInFile(path)).toBeGreaterThanOrEqual(FAR_SECOND);
      },
      { timeout: 30_000 },
    );
    // Of a log this short the connection itself copies nothing.
    expect(logOf(connection).log).toBeLessThan(8_000);
  },
);

test("design 4: a few writes start no thread, nor do many in memory", async () => {
  const started = watchThreads();
  const { store: memory } = await openWithConnection(":memory:");
  await admitJob(memory, "a");
  await write(memory, 2_000);
  const { store, connection } = await openWithConnection(freshPath());
  await admitJob(store, "a");
  await write(store, 100);
  expect([started.length, ownCheckpoints(connection)]).toEqual([0, 1_000]);
});

test("design 4: each store has one thread, which is asked for one checkpoint at a time", async () => {
  const started = watchThreads();
  const { store, connection } = await openWithConnection(freshPath());
  await admitJob(store, "a");
  await untilThread(store, connection);
  // Without a turn of the event loop no answer comes, whatever is written, and whether one was under way before or not.
  for (let second = 1; second <= 3_000; second++) await store.touch("a", second);
  expect(started.map(({ asked, answered }) => asked - answered)).toEqual([1]);
});

test("design 4, 8: the log stays bounded while a thread copies it and much more is written", async () => {
  const path = freshPath();
  const { store, connection } = await openWithConnection(path);
  const count = 6_000;
  await store.admit(request("a", { targets: targets(count), limits: { targetsPerJob: count } }));
  await untilThread(store, connection);
  const result = JSON.stringify({ content: "x".repeat(20_000) });
  let largest = 0;
  let anew = 0;
  let before = 0;
  for (let index = 0; index < count; index++) {
    await store.start({ jobId: "a", index, startedAtMs: 1, maxInterrupted: 3 });
    const outcomes = [done(index, { result })];
    await store.settle({ jobId: "a", outcomes, targetsDone: index + 1, targetsFailed: 0, end: undefined });
    await setImmediate();
    const { log } = logOf(connection);
    if (log < before) anew++;
    before = log;
    largest = Math.max(largest, statSync(`${path}-wal`).size);
  }
  expect(statSync(path).size).toBeGreaterThan(100 * MIB);
  expect(anew).toBeGreaterThan(1);
  // The 8,000 pages of the limit, and what is written while the thread is busy when they are reached.
  expect(largest).toBeLessThan(64 * MIB);
});

test("design 4: somebody else's open read holds up checkpoints and no write, and they go on after it", async () => {
  const path = freshPath();
  const { store, connection } = await openWithConnection(path);
  await admitJob(store, "a");
  await untilThread(store, connection);
  const reader = openRaw(path);
  reader.exec("begin");
  reader.prepare("select lease from batch_job").get();
  const { log } = logOf(connection);
  await write(store, 2_000);
  expect(logOf(connection).checkpointed).toBeLessThanOrEqual(log);
  reader.exec("commit");
  await vi.waitFor(
    async () => {
      await write(store, 64);
      expect(logOf(connection).checkpointed).toBeGreaterThan(log);
    },
    { timeout: 30_000, interval: 1 },
  );
  await store.close();
  expect(existsSync(`${path}-wal`)).toBe(true);
});

test("design 4: a thread is started during large submits, and meanwhile the connection copies nothing", async () => {
  const started = watchThreads();
  const { store, connection } = await openWithConnection(freshPath());
  const before = logOf(connection);
  // Some 400 pages each. Without a turn of the event loop the thread cannot be ready yet.
  const large = targets(2_000).map((target) => ({ ...target, url: `${target.url}?${"x".repeat(800)}` }));
  for (const id of ["a", "b", "c"]) {
    await store.admit(request(id, { targets: large, limits: { targetsPerJob: 2_000 } }));
  }
  const { log, checkpointed } = logOf(connection);
  expect(log - before.log).toBeGreaterThan(1_000);
  expect([started.length, checkpointed - before.checkpointed, ownCheckpoints(connection)]).toEqual([1, 0, 8_000]);
});

test("design 4: a thread is started for what many workers write in few transactions, as for as many written one by one", async () => {
  const started = watchThreads();
  const { store, connection } = await openWithConnection(freshPath());
  await store.admit(request("a", { targets: targets(64), limits: { targetsPerJob: 64 } }));
  // Some 320 pages each, in one turn.
  for (const letter of "xyz") {
    const result = JSON.stringify({ content: letter.repeat(20_000) });
    const settled = targets(64).map((_, index) =>
      store.settle({
        jobId: "a",
        outcomes: [done(index, { result })],
        targetsDone: 1,
        targetsFailed: 0,
        end: undefined,
      }),
    );
    await Promise.all(settled);
  }
  expect([started.length, ownCheckpoints(connection)]).toEqual([1, 8_000]);
});
