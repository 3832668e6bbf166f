import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { JobBoard } from "../../src/cli/job-board.js";
import { observeStore, type StoreObserver } from "../../src/cli/observe-store.js";
import type { BatchStore, Start, StartRequest } from "../../src/store/batch-store.js";
import { openSqliteStore } from "../../src/store/open-sqlite-store.js";

let store: BatchStore;
let observed: BatchStore;
let observer: StoreObserver;
let board: JobBoard;
let told: string[];
let nowMs: number;

beforeEach(async () => {
  store = await openSqliteStore(":memory:");
  told = [];
  nowMs = 1_000;
  board = new JobBoard(() => nowMs);
  observer = {
    targetStarted(id) {
      told.push(`started ${id}`);
      board.targetStarted(id);
    },
    targetDeferred(id) {
      told.push(`deferred ${id}`);
      board.targetDeferred(id);
    },
    targetStored(id, outcome) {
      told.push(`stored ${id} ${outcome.index}`);
      board.targetStored(id, outcome);
    },
    jobEnded(id, status) {
      told.push(`ended ${id} ${status}`);
      board.jobEnded(id, status);
    },
  };
  observed = observeStore(store, observer);
  await store.admit({
    id: "a",
    caller: "me",
    callerClass: "",
    idempotencyKey: "key",
    targets: ["1", "2"].map((url) => ({ url, options: "{}" })),
    nowSeconds: 1,
    ttlMs: 1_000,
    limits: { targetsPerJob: 2, jobsPerCaller: 1, jobsTotal: 1 },
  });
  board.add("a", "a.txt", 2);
});
afterEach(() => store.close());

const startOf = (jobId: string, index: number) => ({ jobId, index, startedAtMs: 0, maxInterrupted: 3 });
const start = (index: number) => observed.start(startOf("a", index));
const settle = (index: number, status: "done" | "failed", end?: "done" | "partial", next?: StartRequest) =>
  observed.settle(
    {
      jobId: "a",
      outcomes: [{ index, status, result: status === "done" ? "{}" : null, error: "", hint: "", finishedAtMs: 1 }],
      targetsDone: index + 1,
      targetsFailed: status === "failed" ? 1 : 0,
      end,
    },
    next,
  );

describe("an observer of a store", () => {
  test("is told of a job's whole way, each thing once it is stored", async () => {
    await start(0);
    await observed.defer({ jobId: "a", index: 0, retryAtMs: 2_000, retrySinceMs: 1_000 });
    await start(0);
    await settle(0, "failed");
    await start(1);
    await settle(1, "done", "partial");
    expect(told).toEqual([
      "started a",
      "deferred a",
      "started a",
      "stored a 0",
      "started a",
      "stored a 1",
      "ended a partial",
    ]);
  });

  test("is not told that a target waits which the runner's closing has cut off", async () => {
    await start(0);
    await observed.defer({ jobId: "a", index: 0, retryAtMs: null, retrySinceMs: null });
    expect(told).toEqual(["started a"]);
  });

  test("learns at the next write that somebody else cancelled the job", async () => {
    await start(0);
    await store.cancel("a");
    await settle(0, "done");
    await start(1);
    expect(told).toEqual(["started a", "stored a 0", "ended a cancelled", "ended a cancelled"]);
    expect(board.progress()).toMatchObject([{ status: "cancelled", done: 1, failed: 0 }]);
  });

  test("is told of a start that is stored with a settling, after the outcomes and the end", async () => {
    await start(0);
    const { started } = await settle(0, "failed", undefined, startOf("a", 1));
    expect(started).toMatchObject({ outcome: "started", url: "2" });
    await settle(1, "done", "partial", startOf("b", 0));
    expect(told).toEqual([
      "started a",
      "stored a 0",
      "started a",
      "stored a 1",
      "ended a partial",
      "ended b cancelled",
    ]);
  });

  test.each<[Start["outcome"], string]>([
    ["started", "started a"],
    ["interrupted", "started a"],
    ["unreadable", "started a"],
    ["gone", "ended a cancelled"],
  ])("hears the same of a start that is %s, alone or with a settling", async (outcome, word) => {
    const answer = { outcome, attempts: 1 } as Start;
    store.start = async () => answer;
    store.settle = async (_request, next) => ({ live: true, bytes: 0, ...(next && { started: answer }) });
    observed = observeStore(store, observer);
    await start(0);
    await settle(0, "done", undefined, startOf("a", 1));
    expect(told).toEqual([word, "stored a 0", word]);
  });

  test("is told of no start where the one that came with a settling failed", async () => {
    store.settle = async () => ({ live: true, bytes: 0 });
    observed = observeStore(store, observer);
    await settle(0, "done", undefined, startOf("a", 1));
    expect(told).toEqual(["stored a 0"]);
  });

  test("is in nobody's way: each call reaches the store with all of its arguments, and its answer comes back", async () => {
    const answer = { outcome: "started", live: true };
    for (const name of Object.keys(store) as (keyof BatchStore)[]) {
      const given = [{ jobId: "a", outcomes: [] }, "second", "third"].slice(0, store[name].length);
      const call = vi.fn(async (..._args: unknown[]) => answer);
      const wrapped = observeStore({ ...store, [name]: call }, observer)[name] as typeof call;
      expect([name, await wrapped(...given), call.mock.calls]).toEqual([name, answer, [given]]);
    }
  });

  test("is told nothing of a write that the store refuses", async () => {
    await store.close();
    await expect(settle(0, "done")).rejects.toThrow();
    await expect(start(0)).rejects.toThrow();
    expect(told).toEqual([]);
    store = await openSqliteStore(":memory:");
  });
});

describe("a board", () => {
  const progress = () => board.progress()[0];

  test("keeps the counts, the wait and the time of a job", async () => {
    expect(progress()).toEqual({
      name: "a.txt",
      status: "queued",
      total: 2,
      done: 0,
      failed: 0,
      waiting: false,
      elapsedMs: 0,
    });
    await start(0);
    nowMs += 500;
    await observed.defer({ jobId: "a", index: 0, retryAtMs: 2_000, retrySinceMs: 1_000 });
    expect(progress()).toMatchObject({ status: "running", waiting: true, elapsedMs: 500 });
    await start(0);
    expect(progress()).toMatchObject({ waiting: false });
    await settle(0, "failed");
    await settle(1, "done", "partial");
    nowMs += 9_000;
    expect(progress()).toMatchObject({ status: "partial", done: 1, failed: 1, elapsedMs: 500 });
  });

  test("loses nothing that happens before it hears a job's name", async () => {
    const late = new JobBoard(() => nowMs);
    late.targetStarted("b");
    late.targetStored("b", { index: 0, status: "done", result: "{}", error: "", hint: "", finishedAtMs: 1 });
    expect(late.progress()).toEqual([]);
    late.add("b", "b.txt", 3);
    expect(late.progress()).toMatchObject([{ name: "b.txt", status: "running", done: 1 }]);
  });
});
