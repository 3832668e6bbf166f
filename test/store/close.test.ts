import { describe, expect, test } from "vitest";
import type { BatchStore } from "../../src/index.js";
import { admitJob, freshPath, openStore, openWithConnection, PLACES, request } from "../support/stores.js";

const CALLS: Record<Exclude<keyof BatchStore, "close">, (store: BatchStore) => Promise<unknown>> = {
  status: (store) => store.status("a"),
  list: (store) => store.list(),
  cancel: (store) => store.cancel("a"),
  own: (store) => store.own(),
  left: (store) => store.left(),
  leave: (store) => store.leave(),
  recover: (store) => store.recover(new Set()),
  admit: (store) => store.admit(request("b")),
  withdraw: (store) => store.withdraw("a"),
  start: (store) => store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 }),
  settle: (store) => store.settle({ jobId: "a", outcomes: [], targetsDone: 0, targetsFailed: 0, end: undefined }),
  defer: (store) => store.defer({ jobId: "a", index: 0, retryAtMs: null, retrySinceMs: null }),
  touch: (store) => store.touch("a", 1),
  sweep: (store) => store.sweep(1),
  evict: (store) => store.evict(0),
  findJob: (store) => store.findJob("a"),
  targetsAfter: (store) => store.targetsAfter("a", -1, 1),
  timesAfter: (store) => store.timesAfter("a", -1, 1),
};

describe.each(PLACES)("in %s", (place) => {
  test.each(Object.entries(CALLS))("store: %s rejects after close, and never throws at once", async (_name, call) => {
    const { store } = await openWithConnection(place === "memory" ? ":memory:" : freshPath());
    await admitJob(store, "a");
    await store.close();
    const answer = call(store);
    await expect(answer).rejects.toThrow(/not open|closed/);
  });

  test("store: closing is idempotent", async () => {
    const { store } = await openStore(place);
    await Promise.all([store.close(), store.close()]);
    expect(await store.close()).toBeUndefined();
  });

  test("store: closing one leaves the others open", async () => {
    const path = place === "memory" ? ":memory:" : freshPath();
    const { store: first } = await openWithConnection(path);
    const { store: second } = await openWithConnection(path);
    await first.close();
    await admitJob(second, "a");
    expect(await second.list()).toMatchObject([{ id: "a" }]);
  });
});

test("store: two stores in memory know nothing of one another", async () => {
  const { store: first } = await openWithConnection(":memory:");
  const { store: second } = await openWithConnection(":memory:");
  await admitJob(first, "a");
  expect([await first.list(), await second.list()]).toMatchObject([[{ id: "a" }], []]);
});
