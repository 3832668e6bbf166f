import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import type { BatchStore } from "../../src/index.js";
import { logOf, untilThread, watchThreads, write } from "../support/checkpoint-threads.js";
import { runScript } from "../support/run-script.js";
import { admitJob, freshPath, openRaw, openWithConnection } from "../support/stores.js";

const STATES: Record<string, (store: BatchStore, connection: Database) => Promise<unknown>> = {
  "right after opening": async () => {},
  "before the thread was needed": (store) => write(store, 40),
  "while the thread starts": async (store) => {
    for (let second = 1; second <= 1_000; second++) await store.touch("a", second);
  },
  "while the thread is idle": untilThread,
  "while a checkpoint is under way": async (store, connection) => {
    await untilThread(store, connection);
    // No turn of the event loop from the asking on.
    for (let second = 1; second <= 2_000; second++) await store.touch("a", second);
  },
};

test.each(Object.entries(STATES))(
  "design 4: a store closed %s has all in its file, no log, and no thread",
  async (_state, reach) => {
    const started = watchThreads();
    const path = freshPath();
    const { store, connection } = await openWithConnection(path);
    await admitJob(store, "a");
    await reach(store, connection);
    await store.touch("a", 77_777);
    const closed = [store.close(), store.close()];
    await expect(store.findJob("a")).rejects.toThrow(/not open/);
    await Promise.all(closed);
    await store.close();
    expect([existsSync(`${path}-wal`), started.map((thread) => thread.threadId)]).toEqual([
      false,
      started.map(() => -1),
    ]);
    const raw = openRaw(path);
    expect(raw.prepare("select lease from batch_job").pluck().get()).toBe(77_777);
    expect(raw.pragma("integrity_check", { simple: true })).toBe("ok");
  },
);

test("design 4: a thread that dies leaves the store its lock on the file and its owner the store", async () => {
  const started = watchThreads();
  const path = freshPath();
  const { store, connection } = await openWithConnection(path);
  const giveBack = await store.own();
  await admitJob(store, "a");
  await untilThread(store, connection);
  connection.exec("begin immediate");
  await started[0]!.terminate();
  const code = "({ code }) => code";
  const { ended } = runScript(
    `const store = await fairbatch.openSqliteStore(process.argv[1]);
    console.log(await store.cancel("a").catch(${code}), await store.own().catch(${code}));`,
    path,
  );
  expect(await ended).toEqual({ code: 0, stdout: "SQLITE_BUSY ERR_STORE_IN_USE\n", stderr: "" });
  connection.exec("commit");
  await giveBack();
});

test("design 4: a store that closes leaves another of its process its lock on the file", async () => {
  const path = freshPath();
  const { store, connection } = await openWithConnection(path);
  const { store: other, connection: writing } = await openWithConnection(path);
  await admitJob(store, "a");
  await untilThread(store, connection);
  writing.exec("begin immediate");
  await store.close();
  const { ended } = runScript(
    `const store = await fairbatch.openSqliteStore(process.argv[1]);
    console.log(await store.cancel("a").catch(({ code }) => code));`,
    path,
  );
  expect(await ended).toEqual({ code: 0, stdout: "SQLITE_BUSY\n", stderr: "" });
  writing.exec("commit");
  await other.touch("a", 5);
  expect(logOf(writing).log).toBeGreaterThan(0);
  await setImmediate();
});
