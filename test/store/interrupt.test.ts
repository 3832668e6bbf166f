import { describe, expect, test } from "vitest";
import { admitJob, allRows, done, endedJob, failure, keptCounts, openStore, PLACES } from "../support/stores.js";

describe.each(PLACES)("in %s", (place) => {
  test("section 2: what a dead owner left is settled: running targets pending, live jobs failed as interrupted", async () => {
    const { store } = await openStore(place);
    await admitJob(store, "running", 3);
    await store.start({ jobId: "running", index: 0, startedAtMs: 1 });
    await store.settle({ jobId: "running", outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: undefined });
    await store.start({ jobId: "running", index: 1, startedAtMs: 1 });
    await admitJob(store, "queued", 1);
    await admitJob(store, "cancelled", 2);
    await store.start({ jobId: "cancelled", index: 0, startedAtMs: 1 });
    await store.cancel("cancelled");

    expect(await store.interrupt()).toEqual(["running", "queued"]);

    const pending = { status: "pending", error: "", hint: "", options: {} };
    const job = { caller: "ann", callerClass: "", createdAt: 1_000, targetsFailed: 0 };
    expect(await store.status("running")).toEqual({
      job: { ...job, id: "running", status: "failed", error: "interrupted", targetsTotal: 3, targetsDone: 1 },
      targets: [
        { ...pending, index: 0, url: "u:0", status: "done", result: { content: "ok" }, attempts: 1 },
        { ...pending, index: 1, url: "u:1", attempts: 1 },
        { ...pending, index: 2, url: "u:2", attempts: 0 },
      ],
    });
    expect(await store.status("queued")).toEqual({
      job: { ...job, id: "queued", status: "failed", error: "interrupted", targetsTotal: 1, targetsDone: 0 },
      targets: [{ ...pending, index: 0, url: "u:0", attempts: 0 }],
    });
    expect(await store.status("cancelled")).toEqual({
      job: { ...job, id: "cancelled", status: "cancelled", error: "", targetsTotal: 2, targetsDone: 0 },
      targets: [
        { ...pending, index: 0, url: "u:0", attempts: 1 },
        { ...pending, index: 1, url: "u:1", attempts: 0 },
      ],
    });
    expect(await keptCounts(store, "ann")).toMatchObject({ live: 0, liveOfCaller: 0 });
  });

  test("section 2: ended jobs are left as they are, and a second settling finds nothing", async () => {
    const { store, raw } = await openStore(place);
    await endedJob(store, "done");
    for (const end of ["partial", "failed"] as const) {
      await admitJob(store, end, 2);
      const outcomes = [failure(0), end === "failed" ? failure(1) : done(1)];
      await store.settle({ jobId: end, outcomes, targetsDone: 2, targetsFailed: end === "failed" ? 2 : 1, end });
    }
    await admitJob(store, "cancelled");
    await store.cancel("cancelled");
    const before = allRows(raw);
    expect(await store.interrupt()).toEqual([]);
    expect(allRows(raw)).toEqual(before);

    await admitJob(store, "live");
    expect(await store.interrupt()).toEqual(["live"]);
    expect(await store.interrupt()).toEqual([]);
  });

  test("section 2: the jobs are named in submit order, whatever their ids and leases", async () => {
    const { store } = await openStore(place);
    for (const id of ["m", "z", "a", "k"]) await admitJob(store, id);
    await store.touch("z", 5_000);
    await store.start({ jobId: "k", index: 0, startedAtMs: 1 });
    expect(await store.interrupt()).toEqual(["m", "z", "a", "k"]);
  });

  test("design 4: settling is one transaction: when a job cannot be written, its target stays running", async () => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "a");
    await store.start({ jobId: "a", index: 0, startedAtMs: 1 });
    const before = allRows(raw);
    raw.exec("create trigger broken before update on batch_job begin select raise(abort, 'disk full'); end");
    await expect(store.interrupt()).rejects.toThrow("disk full");
    expect(allRows(raw)).toEqual(before);
  });
});
