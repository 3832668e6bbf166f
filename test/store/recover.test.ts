import { describe, expect, test } from "vitest";
import { admitJob, allRows, done, endedJob, failure, keptCounts, openStore, PLACES } from "../support/stores.js";

describe.each(PLACES)("in %s", (place) => {
  test("section 2: what a dead owner left is settled: running targets pending, live jobs failed as interrupted", async () => {
    const { store } = await openStore(place);
    await admitJob(store, "running", 3);
    await store.start({ jobId: "running", index: 0, startedAtMs: 1, maxInterrupted: 3 });
    await store.settle({ jobId: "running", outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: undefined });
    await store.start({ jobId: "running", index: 1, startedAtMs: 1, maxInterrupted: 3 });
    await admitJob(store, "queued", 1);
    await admitJob(store, "cancelled", 2);
    await store.start({ jobId: "cancelled", index: 0, startedAtMs: 1, maxInterrupted: 3 });
    await store.cancel("cancelled");

    expect(await store.recover(new Set())).toEqual({ resumed: [], interrupted: ["running", "queued"] });

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
    expect(await store.recover(new Set(["done"]))).toEqual({ resumed: [], interrupted: [] });
    expect(allRows(raw)).toEqual(before);

    await admitJob(store, "live");
    expect(await store.recover(new Set())).toEqual({ resumed: [], interrupted: ["live"] });
    expect(await store.recover(new Set(["done"]))).toEqual({ resumed: [], interrupted: [] });
  });

  test("section 2: the jobs are named in submit order, whatever their ids and leases", async () => {
    const { store } = await openStore(place);
    for (const id of ["m", "z", "a", "k"]) await admitJob(store, id);
    await store.touch("z", 5_000);
    await store.start({ jobId: "k", index: 0, startedAtMs: 1, maxInterrupted: 3 });
    expect((await store.left()).map(({ id }) => id)).toEqual(["m", "z", "a", "k"]);
    expect((await store.recover(new Set())).interrupted).toEqual(["m", "z", "a", "k"]);
  });

  test("design 4: settling is one transaction: when a job cannot be written, its target stays running", async () => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "a");
    await store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 });
    const before = allRows(raw);
    raw.exec("create trigger broken before update on batch_job begin select raise(abort, 'disk full'); end");
    await expect(store.recover(new Set())).rejects.toThrow("disk full");
    expect(allRows(raw)).toEqual(before);
  });

  test("resume: a job named is left as its rows say, its running target pending and counted as interrupted", async () => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "running", 3);
    await store.start({ jobId: "running", index: 0, startedAtMs: 1, maxInterrupted: 3 });
    await store.settle({ jobId: "running", outcomes: [failure(0)], targetsDone: 1, targetsFailed: 1, end: undefined });
    await store.start({ jobId: "running", index: 1, startedAtMs: 1, maxInterrupted: 3 });
    await admitJob(store, "other");
    await admitJob(store, "queued");
    const job = { caller: "ann", callerClass: "", error: "", createdAt: 1_000 };
    const running = { ...job, id: "running", status: "running", targetsTotal: 3, targetsDone: 1, targetsFailed: 1 };
    const queued = { ...job, id: "queued", status: "queued", targetsTotal: 1, targetsDone: 0, targetsFailed: 0 };
    await store.touch("queued", 1_234);
    expect(await store.left()).toEqual([
      { ...running, lease: 1_000 },
      { ...queued, id: "other", lease: 1_000 },
      { ...queued, lease: 1_234 },
    ]);

    expect(await store.recover(new Set(["queued", "running", "unknown"]))).toEqual({
      resumed: [
        { job: running, retryAtMs: null, retrySinceMs: null },
        { job: queued, retryAtMs: null, retrySinceMs: null },
      ],
      interrupted: ["other"],
    });
    expect((await store.status("running"))?.targets.map(({ status, attempts }) => [status, attempts])).toEqual([
      ["failed", 1],
      ["pending", 1],
      ["pending", 0],
    ]);
    expect(raw.prepare("select interruptions from batch_target order by job_id, idx").pluck().all()).toEqual([
      0, 0, 0, 1, 0,
    ]);
    expect(await keptCounts(store, "ann")).toMatchObject({ live: 2, liveOfCaller: 2 });
  });

  test("resume: a target put back keeps when it is due and since when it has waited, until it is interrupted", async () => {
    const { store } = await openStore(place);
    await admitJob(store, "a", 2);
    const start = () => store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 });
    const recovered = async () => (await store.recover(new Set(["a"]))).resumed;
    await start();
    expect(await store.defer({ jobId: "a", index: 0, retryAtMs: 5_000, retrySinceMs: 3_000 })).toBe(true);
    expect(await recovered()).toMatchObject([{ retryAtMs: 5_000, retrySinceMs: 3_000 }]);
    await start();
    expect(await recovered()).toMatchObject([{ retryAtMs: null, retrySinceMs: 3_000 }]);
  });

  test("resume: a target that was interrupted as often as it may be is not started, and not counted as tried", async () => {
    const { store } = await openStore(place);
    await admitJob(store, "a", 2);
    const start = (index: number) => store.start({ jobId: "a", index, startedAtMs: 1, maxInterrupted: 2 });
    for (const attempts of [1, 2]) {
      expect(await start(0)).toMatchObject({ outcome: "started", attempts });
      await store.recover(new Set(["a"]));
    }
    expect(await start(0)).toEqual({ outcome: "interrupted", attempts: 2 });
    expect(await start(1)).toMatchObject({ outcome: "started", attempts: 1 });
    expect((await store.status("a"))?.targets[0]).toMatchObject({ status: "pending", attempts: 2 });
    await store.cancel("a");
    expect(await start(0)).toEqual({ outcome: "gone" });
  });
});
