import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import type { BatchStore } from "../../src/index.js";
import { lockWait } from "../../src/store/lock-wait.js";
import { settled } from "../../src/testing/index.js";
import { admitJob, done, endedJob, freshPath, openRaw, openWithConnection, request } from "../support/stores.js";

const waitMs = (connection: Database) => connection.pragma("busy_timeout", { simple: true });

test("R8: after one write has waited in vain for another process's lock, none waits for 100 ms", async () => {
  const path = freshPath();
  const { store, connection } = await openWithConnection(path);
  await admitJob(store, "a");
  const other = openRaw(path);
  let nowMs = 0;
  const locked = lockWait(connection, () => nowMs);
  const waits: unknown[] = [];
  const write = () =>
    locked(() => {
      waits.push(waitMs(connection));
      connection.exec("update batch_job set lease = lease + 1");
    });

  other.exec("begin immediate");
  for (nowMs of [0, 0, 50, 99, 100, 150]) expect(write).toThrow("database is locked");
  expect(waits).toEqual([20, 0, 0, 0, 20, 0]);
  other.exec("commit");
  write();
  nowMs = 200;
  write();
  expect(waits.slice(6)).toEqual([0, 20]);
});

test("R8: what fails for another reason changes no wait", async () => {
  const { connection } = await openWithConnection(freshPath());
  const locked = lockWait(connection);
  expect(() => locked(() => connection.exec("nonsense"))).toThrow("syntax error");
  expect(waitMs(connection)).toBe(20);
});

const WRITES: Record<string, (store: BatchStore) => Promise<unknown>> = {
  cancel: (store) => store.cancel("a"),
  leave: (store) => store.leave(),
  recover: (store) => store.recover(new Set()),
  admit: (store) => store.admit(request("b")),
  withdraw: (store) => store.withdraw("a"),
  start: (store) => store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 }),
  settle: (store) =>
    store.settle({ jobId: "a", outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: undefined }),
  defer: (store) => store.defer({ jobId: "a", index: 0, retryAtMs: null, retrySinceMs: null }),
  touch: (store) => store.touch("a", 5_000),
  sweep: (store) => store.sweep(9_000),
  evict: (store) => store.evict(0),
};

test.each(Object.entries(WRITES))(
  "R8: of any number of %s that need the lock at once, one waits for it",
  async (_, write) => {
    const path = freshPath();
    const { store, connection } = await openWithConnection(path);
    await admitJob(store, "a", 2);
    await endedJob(store, "ended");
    const other = openRaw(path);
    other.exec("begin immediate");
    const answered = write(store).catch((error) => error.code);
    await settled();
    expect(waitMs(connection)).toBe(0);
    other.exec("commit");
    await answered;
  },
);
