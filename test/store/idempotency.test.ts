import { describe, expect, test } from "vitest";
import type { BatchStore } from "../../src/index.js";
import { allRows, done, failure, openStore, PLACES, request, statuses } from "../support/stores.js";

const LEASE = 1_000;

/** Brings the only job to a status by the store's own calls. */
const TO_STATUS: Record<string, (store: BatchStore) => Promise<unknown>> = {
  queued: async () => {},
  running: (store) => store.start({ jobId: "first", index: 0, startedAtMs: 1, maxInterrupted: 3 }),
  done: (store) =>
    store.settle({ jobId: "first", outcomes: [done(0), done(1)], targetsDone: 2, targetsFailed: 0, end: "done" }),
  partial: (store) =>
    store.settle({ jobId: "first", outcomes: [done(0), failure(1)], targetsDone: 2, targetsFailed: 1, end: "partial" }),
  failed: (store) =>
    store.settle({
      jobId: "first",
      outcomes: [failure(0), failure(1)],
      targetsDone: 2,
      targetsFailed: 2,
      end: "failed",
    }),
  cancelled: (store) => store.cancel("first"),
};

const again = (overrides: Parameters<typeof request>[1] = {}) =>
  request("second", { idempotencyKey: "k", nowSeconds: LEASE, ...overrides });

describe.each(PLACES)("in %s", (place) => {
  async function openWithJob(status: string) {
    const { store, raw } = await openStore(place);
    const targets = [
      { url: "u:0", options: "{}" },
      { url: "u:1", options: "{}" },
    ];
    await store.admit(request("first", { idempotencyKey: "k", nowSeconds: LEASE, targets }));
    await TO_STATUS[status]?.(store);
    expect(statuses(raw)).toEqual({ first: status });
    return { store, raw };
  }

  test.each(["queued", "running", "done", "partial"])(
    "R1.2: a %s job with the same key is reused, and no row changes",
    async (status) => {
      const { store, raw } = await openWithJob(status);
      const before = allRows(raw);
      expect(await store.admit(again({ nowSeconds: LEASE + 5 }))).toEqual({ outcome: "reused", id: "first" });
      expect(allRows(raw)).toEqual(before);
    },
  );

  test.each(["failed", "cancelled"])("R1.2: a %s job is never reused", async (status) => {
    const { store, raw } = await openWithJob(status);
    expect(await store.admit(again())).toEqual({ outcome: "created" });
    expect(statuses(raw)).toEqual({ first: status, second: "queued" });
  });

  test.each([
    { ttlMs: 60_000, age: 60, outcome: "reused" },
    { ttlMs: 60_000, age: 61, outcome: "created" },
    { ttlMs: 59_999, age: 60, outcome: "created" },
    { ttlMs: 60_001, age: 60, outcome: "reused" },
    { ttlMs: 1, age: 0, outcome: "reused" },
    { ttlMs: 1, age: 1, outcome: "created" },
    { ttlMs: 60_000, age: -3_600, outcome: "reused" },
  ])("R1.2: at a TTL of $ttlMs ms a job whose lease is $age s old is $outcome", async ({ ttlMs, age, outcome }) => {
    for (const status of ["queued", "done"]) {
      const { store } = await openWithJob(status);
      expect(await store.admit(again({ ttlMs, nowSeconds: LEASE + age }))).toMatchObject({ outcome });
    }
  });

  test("R1.2: the TTL counts from the lease, which a touch sets anew, and not from the submit", async () => {
    const { store } = await openWithJob("done");
    await store.touch("first", LEASE + 100);
    const admitted = await store.admit(again({ ttlMs: 10_000, nowSeconds: LEASE + 110 }));
    expect(admitted).toEqual({ outcome: "reused", id: "first" });
    expect(await store.admit(again({ ttlMs: 10_000, nowSeconds: LEASE + 111 }))).toEqual({ outcome: "created" });
  });

  test("R1.2: only a job of the same caller with the same key is reused", async () => {
    const { store } = await openWithJob("done");
    expect(await store.admit(again({ caller: "bob" }))).toEqual({ outcome: "created" });
    expect(await store.admit(request("third", { idempotencyKey: "K" }))).toEqual({ outcome: "created" });
  });

  test("R1.2: the same key with other targets is the same job", async () => {
    const { store } = await openWithJob("queued");
    const targets = [{ url: "u:other", options: "{}" }];
    expect(await store.admit(again({ targets }))).toEqual({ outcome: "reused", id: "first" });
  });

  test("R1.2: a reuse meets no caps", async () => {
    const { store } = await openWithJob("running");
    const limits = { targetsPerJob: 1, jobsPerCaller: 1, jobsTotal: 1 };
    expect(await store.admit(again({ targets: Array(5).fill({ url: "u", options: "{}" }), limits }))).toEqual({
      outcome: "reused",
      id: "first",
    });
  });

  test("R1.4: 20 equal admits in one tick create one job", async () => {
    const { store, raw } = await openStore(place);
    const admissions = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.admit(request(`job ${index}`, { idempotencyKey: "k" }))),
    );
    expect(admissions).toEqual([{ outcome: "created" }, ...Array(19).fill({ outcome: "reused", id: "job 0" })]);
    expect(statuses(raw)).toEqual({ "job 0": "queued" });
  });
});
