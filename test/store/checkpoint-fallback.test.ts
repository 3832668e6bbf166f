import { renameSync } from "node:fs";
import type { Worker, WorkerOptions } from "node:worker_threads";
import { expect, test, vi } from "vitest";
import { logOf, ownCheckpoints, untilThread, watchThreads, write } from "../support/checkpoint-threads.js";
import { admitJob, freshPath, openWithConnection } from "../support/stores.js";

const withData = (data: object) => (options: WorkerOptions) => ({
  ...options,
  workerData: { ...options.workerData, ...data },
});

function ended(thread: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (thread.threadId === -1) resolve();
    thread.once("exit", () => resolve());
  });
}

const IN_VAIN: Record<string, (options: WorkerOptions) => WorkerOptions> = {
  "SQLite is not found": withData({ sqlite: "/nowhere/at-all.js" }),
  "its addon does not load": withData({ nativeBinding: "/nowhere/at-all.node" }),
  "the file is gone": withData({ path: "/nowhere/at-all.db" }),
  // Too little for Node to run in, and not for it to begin: from 22 on, that ends the process.
  "it has no memory": (options) => ({ ...options, resourceLimits: { maxOldGenerationSizeMb: 4 } }),
  "threads are forbidden": () => {
    throw Object.assign(new Error("restricted"), { code: "ERR_ACCESS_DENIED" });
  },
};

test.each(Object.entries(IN_VAIN))(
  "R8: a thread that cannot start, since %s, is not missed: the connection copies the log by itself",
  async (_why, change) => {
    const tries = vi.fn(change);
    const started = watchThreads(tries);
    const { store, connection } = await openWithConnection(freshPath());
    await admitJob(store, "a");
    await write(store, 1_000);
    await Promise.all(started.map(ended));
    await write(store, 3_000);
    expect([tries.mock.calls.length, ownCheckpoints(connection)]).toEqual([1, 1_000]);
    expect(logOf(connection).log).toBeLessThan(1_100);
    await store.close();
  },
);

test("R8: a thread that dies is not missed: the connection copies the log by itself from then on", async () => {
  const started = watchThreads();
  const { store, connection } = await openWithConnection(freshPath());
  await admitJob(store, "a");
  await untilThread(store, connection);
  await started[0]!.terminate();
  expect(ownCheckpoints(connection)).toBe(1_000);
  await write(store, 3_000);
  expect([started.length, logOf(connection).log < 1_100]).toEqual([1, true]);
  expect((await store.findJob("a"))?.status).toBe("queued");
});

test("design 4: a store opened by a relative path is the one whose log is copied, wherever the process has gone since", async () => {
  const path = freshPath();
  const home = process.cwd();
  const folder = path.slice(0, -"/store.db".length);
  process.chdir(folder);
  try {
    const { store, connection } = await openWithConnection("store.db");
    process.chdir(home);
    await admitJob(store, "a");
    await untilThread(store, connection);
    await store.close();
  } finally {
    process.chdir(home);
  }
});

test("R8: a file that is moved away before the thread opens it leaves the store at work", async () => {
  const path = freshPath();
  const started = watchThreads();
  const { store, connection } = await openWithConnection(path);
  await admitJob(store, "a");
  renameSync(path, `${path}-moved`);
  await write(store, 2_000);
  await Promise.all(started.map(ended));
  expect(started).toHaveLength(1);
  expect(ownCheckpoints(connection)).toBe(1_000);
  expect((await store.findJob("a"))?.status).toBe("queued");
  renameSync(`${path}-moved`, path);
});
