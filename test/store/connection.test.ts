import { existsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { createBatchRunner, openSqliteStore } from "../../src/index.js";
import { StoreProcess } from "../support/store-process.js";
import { admitJob, done, freshPath, openRaw, openWithConnection, request, targets } from "../support/stores.js";

const MIB = 1024 * 1024;

test("design 4: a file is kept in write-ahead mode, and others may read it while it is open", async () => {
  const path = freshPath();
  const { store } = await openWithConnection(path);
  await admitJob(store, "a");
  const raw = openRaw(path);
  expect(raw.pragma("journal_mode", { simple: true })).toBe("wal");
  expect(raw.prepare("select id from batch_job").pluck().all()).toEqual(["a"]);
});

test("design 4: a relative path is of the folder in which the process was when it was given", async () => {
  const path = freshPath();
  const home = process.cwd();
  process.chdir(dirname(path));
  const opening = openSqliteStore(basename(path));
  process.chdir(home);
  const store = await opening;
  await store.close();
  expect(existsSync(path)).toBe(true);
});

test("design 4: reads are answered while somebody else holds the write lock", async () => {
  const path = freshPath();
  const { store } = await openWithConnection(path);
  await admitJob(store, "a");
  const raw = openRaw(path);
  raw.exec("begin immediate; delete from batch_job");
  expect((await store.status("a"))?.job.status).toBe("queued");
  expect(await store.list()).toHaveLength(1);
});

test("design 4: a write waits for somebody else's short transaction", async () => {
  const path = freshPath();
  const { store, connection } = await openWithConnection(path);
  await admitJob(store, "a");
  const other = await StoreProcess.start();
  await other.tell({ command: "open", path, atMs: 0 });
  // The other process works through its calls while ours block in SQLite, one after the other, for the same lock.
  const calls = Array.from({ length: 2_000 }, (_, index) => ["touch", "a", index] as const);
  const touched = other.tell({ command: "call", calls, atMs: 0 });
  for (let index = 0; index < 2_000; index++) await store.touch("a", index);
  expect(await touched).toHaveLength(2_000);
  // SQLite waits on the event loop, so not for long; the store tries again in its own time.
  const busyTimeoutMs = connection.pragma("busy_timeout", { simple: true });
  expect(busyTimeoutMs).toBeGreaterThan(0);
  expect(busyTimeoutMs).toBeLessThanOrEqual(50);
});

test("R8: while somebody else holds the write lock for long, a call waits and the event loop goes on", async () => {
  const path = freshPath();
  const { store } = await openWithConnection(path);
  await admitJob(store, "a");
  const raw = openRaw(path);
  raw.exec("begin immediate");
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
    if (turns === 5) raw.exec("rollback");
  }, 5);
  expect(await store.cancel("a")).toBe(true);
  clearInterval(timer);
  expect(turns).toBeGreaterThanOrEqual(5);
});

test("design 4: a write that waits in vain rejects and changes nothing, and the next one works", async () => {
  const path = freshPath();
  const { store } = await openWithConnection(path);
  await admitJob(store, "a");
  const raw = openRaw(path);
  raw.exec("begin immediate");
  const startedAt = performance.now();
  await expect(store.cancel("a")).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_BUSY/) });
  const waitedMs = performance.now() - startedAt;
  raw.exec("rollback");
  expect(waitedMs).toBeGreaterThan(400);
  expect((await store.findJob("a"))?.status).toBe("queued");
  expect(await store.cancel("a")).toBe(true);
});

test("design 4, 8: the write-ahead file stays bounded while much is written", { timeout: 60_000 }, async () => {
  const path = freshPath();
  const { store } = await openWithConnection(path);
  const count = 150;
  await admitJob(store, "big", count);
  const result = JSON.stringify({ content: "x".repeat(MIB) });
  let largest = 0;
  for (let index = 0; index < count; index++) {
    await store.start({ jobId: "big", index, startedAtMs: 1, maxInterrupted: 3 });
    const outcomes = [done(index, { result })];
    await store.settle({ jobId: "big", outcomes, targetsDone: index + 1, targetsFailed: 0, end: undefined });
    largest = Math.max(largest, statSync(`${path}-wal`).size);
  }
  expect(statSync(path).size).toBeGreaterThan(100 * MIB);
  // 10,000 pages of 4 KiB, the largest checkpoint interval the design allows, and some room for one transaction.
  expect(largest).toBeLessThan(48 * MIB);
});

test("design 4, 8: one huge transaction does not leave a huge write-ahead file behind", {
  timeout: 60_000,
}, async () => {
  const path = freshPath();
  const { store } = await openWithConnection(path);
  const url = `u:${"x".repeat(MIB)}`;
  await store.admit(request("huge", { targets: Array.from({ length: 100 }, () => ({ url, options: "{}" })) }));
  for (let second = 0; second < 10; second++) await store.touch("huge", second);
  expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(64 * MIB);
});

test("design 4: the last one to close leaves no write-ahead file", async () => {
  const path = freshPath();
  const store = await openSqliteStore(path);
  await store.admit(request("a", { targets: targets(3) }));
  await store.close();
  expect([existsSync(path), existsSync(`${path}-wal`)]).toEqual([true, false]);
});

describe("design 8: synchronous", () => {
  test.each([
    ["is normal by default", undefined, 1],
    ["can be normal", { synchronous: "normal" }, 1],
    ["can be full", { synchronous: "full" }, 2],
  ] as const)("%s", async (_name, options, level) => {
    for (const path of [freshPath(), ":memory:"]) {
      const { connection } = await openWithConnection(path, options);
      expect(connection.pragma("synchronous", { simple: true })).toBe(level);
    }
  });

  test.each(["off", "FULL", "extra", "", "full; drop table batch_job", 2, {}])(
    "rejects %j and makes no file",
    async (bad) => {
      const path = freshPath();
      await expect(openSqliteStore(path, { synchronous: bad as "full" })).rejects.toThrow(/synchronous/);
      expect(existsSync(path)).toBe(false);
    },
  );
});

test.each([undefined, null, "", " \n", 5, {}])(
  "opening %j is a TypeError: no store is made that goes with the process",
  async (bad) => {
    await expect(openSqliteStore(bad as string)).rejects.toThrow(
      new TypeError("openSqliteStore: path must be a string that is not empty"),
    );
  },
);

test("a path with blanks around it, as one of a file of settings may have, is the same store", async () => {
  const path = freshPath();
  const store = await openSqliteStore(` ${path}\n`);
  const runner = await createBatchRunner({ store, fetch: () => ({ content: "" }) });
  const other = await openSqliteStore(path);
  await expect(createBatchRunner({ store: other, fetch: () => ({ content: "" }) })).rejects.toMatchObject({
    code: "ERR_STORE_IN_USE",
  });
  await runner.close();
  await Promise.all([store.close(), other.close()]);
  expect(existsSync(path)).toBe(true);
});

test("design 4, 8: other readers are never shut out of the file", async () => {
  const { connection } = await openWithConnection(freshPath());
  expect(connection.pragma("locking_mode", { simple: true })).toBe("normal");
  expect(connection.pragma("wal_autocheckpoint", { simple: true })).toBeGreaterThanOrEqual(1_000);
  expect(connection.pragma("wal_autocheckpoint", { simple: true })).toBeLessThanOrEqual(10_000);
});
