import { describe, expect, test } from "vitest";
import type { BatchStore } from "../../src/index.js";
import {
  admitJob,
  allRows,
  done,
  endedJob,
  failure,
  keptCounts,
  openStore,
  PLACES,
  request,
  statuses,
} from "../support/stores.js";

/** One job of each status, all with the same lease and each of two targets. */
async function oneOfEach(store: BatchStore, leaseSeconds: number): Promise<void> {
  const targets = [0, 1].map((index) => ({ url: `u:${index}`, options: "{}" }));
  for (const id of ["queued", "running", "done", "partial", "failed", "cancelled"] as const) {
    await store.admit(request(id, { targets, nowSeconds: leaseSeconds }));
    if (id !== "queued") await store.start({ jobId: id, index: 0, startedAtMs: 1, maxInterrupted: 3 });
    if (id === "cancelled") await store.cancel(id);
    if (id === "queued" || id === "running" || id === "cancelled") continue;
    const outcomes = [id === "done" ? done(0) : failure(0), id === "failed" ? failure(1) : done(1)];
    const targetsFailed = outcomes.filter((outcome) => outcome.status === "failed").length;
    await store.settle({ jobId: id, outcomes, targetsDone: 2, targetsFailed, end: id });
  }
}

describe.each(PLACES)("in %s", (place) => {
  const idsOf = (rows: unknown[], field: string) => [
    ...new Set(rows.map((row) => (row as Record<string, unknown>)[field])),
  ];

  test("R6: a touch sets the lease of that job and nothing else", async () => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "a");
    await admitJob(store, "b");
    const before = allRows(raw);
    await store.touch("a", 7_777);
    await store.touch("unknown", 1);
    const [a, b] = before.jobs as [object, object];
    expect(allRows(raw)).toEqual({ jobs: [{ ...a, lease: 7_777 }, b], targets: before.targets });
  });

  test("sweep: terminal jobs whose lease is older go, with their targets; live ones never do", async () => {
    const { store, raw } = await openStore(place);
    await oneOfEach(store, 1_000);
    await store.sweep(1_000);
    expect(Object.keys(statuses(raw))).toHaveLength(6);
    await store.sweep(1_001);
    expect(statuses(raw)).toEqual({ queued: "queued", running: "running" });
    expect(idsOf(allRows(raw).targets, "job_id")).toEqual(["queued", "running"]);
  });

  test("sweep: of very many jobs, some go at a time, and the event loop turns between", async () => {
    const { store, raw } = await openStore(place);
    for (let number = 0; number < 60; number++) await endedJob(store, `job-${number}`, 1_000);
    const left: number[] = [];
    const look = () => {
      left.push(Object.keys(statuses(raw)).length);
      looking = setImmediate(look);
    };
    let looking = setImmediate(look);
    await store.sweep(1_001);
    clearImmediate(looking);
    expect(left).toEqual([35, 10]);
    expect(statuses(raw)).toEqual({});
  });

  test("sweep: a store that is closed meanwhile leaves the rest, and says nothing", async () => {
    const { store } = await openStore(place);
    for (let number = 0; number < 60; number++) await endedJob(store, `job-${number}`, 1_000);
    const swept = store.sweep(1_001);
    await store.close();
    await swept;
  });

  test("sweep: the boundary may lie between two seconds, where a TTL is no whole number of them", async () => {
    const { store, raw } = await openStore(place);
    await endedJob(store, "a", 1_000);
    await store.sweep(999.999);
    expect(statuses(raw)).toEqual({ a: "done" });
    await store.sweep(1_000.001);
    expect(statuses(raw)).toEqual({});
  });

  test("sweep: what is left, and what is kept of the totals, is what the rows say", async () => {
    const { store, raw } = await openStore(place);
    await oneOfEach(store, 1_000);
    await endedJob(store, "young", 2_000);
    await store.sweep(1_500);
    expect(statuses(raw)).toEqual({ queued: "queued", running: "running", young: "done" });
    const bytes = raw.prepare("select sum(nbytes) from batch_job").pluck().get();
    expect(await keptCounts(store, "ann")).toEqual({ live: 2, liveOfCaller: 2, bytes });
  });

  test("eviction: the oldest lease goes first, and no more than must", async () => {
    const { store, raw } = await openStore(place);
    await endedJob(store, "middle", 2_000);
    await endedJob(store, "newest", 3_000);
    await endedJob(store, "oldest", 1_000);
    await endedJob(store, "touched", 500);
    await store.touch("touched", 4_000);
    const { bytes } = await keptCounts(store, "ann");
    const left = async (maxBytes: number) => {
      await store.evict(maxBytes);
      return Object.keys(statuses(raw));
    };
    expect(await left(bytes)).toEqual(["middle", "newest", "oldest", "touched"]);
    expect(await left(bytes - 1)).toEqual(["middle", "newest", "touched"]);
    const { bytes: fewer } = await keptCounts(store, "ann");
    expect(await left(fewer)).toEqual(["middle", "newest", "touched"]);
    expect(
      await left(1 + Number(raw.prepare("select nbytes from batch_job where id = 'touched'").pluck().get())),
    ).toEqual(["touched"]);
    expect(idsOf(allRows(raw).targets, "job_id")).toEqual(["touched"]);
  });

  test("eviction: of two leases that are equal, the job submitted first goes first", async () => {
    const { store, raw } = await openStore(place);
    for (const id of ["b", "c", "a"]) await endedJob(store, id);
    await store.evict((await keptCounts(store, "ann")).bytes - 1);
    expect(Object.keys(statuses(raw))).toEqual(["c", "a"]);
  });

  test("eviction: every terminal job may go, live ones never do, even where they alone do not fit", async () => {
    const { store, raw } = await openStore(place);
    await oneOfEach(store, 1_000);
    await store.evict(0);
    expect(statuses(raw)).toEqual({ queued: "queued", running: "running" });
    expect((await keptCounts(store, "ann")).bytes).toBeGreaterThan(0);
    await store.evict(0);
    expect(statuses(raw)).toEqual({ queued: "queued", running: "running" });
  });

  test("section 2: sweep and eviction remove jobs whose rows hold broken JSON", async () => {
    const { store, raw } = await openStore(place);
    await endedJob(store, "swept", 1);
    await endedJob(store, "evicted", 2_000);
    raw.exec(`update batch_target set options = '{', result = x'00ff'`);
    await store.sweep(1_000);
    expect(statuses(raw)).toEqual({ evicted: "done" });
    await store.evict(0);
    expect(allRows(raw)).toEqual({ jobs: [], targets: [] });
  });
});
