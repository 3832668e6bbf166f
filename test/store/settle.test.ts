import { describe, expect, test } from "vitest";
import type { EndStatus } from "../../src/job.js";
import { admitJob, allRows, done, failure, keptCounts, openStore, PLACES, request } from "../support/stores.js";

describe.each(PLACES)("in %s", (place) => {
  async function openWithJob(count: number) {
    const opened = await openStore(place);
    await admitJob(opened.store, "a", count);
    await opened.store.start({ jobId: "a", index: 0, startedAtMs: 1_500, maxInterrupted: 3 });
    return opened;
  }

  test("R3: settling stores the outcome, the counts and the time, and the job stays running", async () => {
    const { store, raw } = await openWithJob(2);
    const outcomes = [failure(0, { error: "nope\0 👍", hint: "try b", finishedAtMs: 1_777 })];
    expect(
      await store.settle({ jobId: "a", outcomes, targetsDone: 1, targetsFailed: 1, end: undefined }),
    ).toMatchObject({ live: true });
    const retry = { retry_at_ms: null, retry_since_ms: null, interruptions: 0 };
    const pending = {
      job_id: "a",
      options: "{}",
      status: "pending",
      attempts: 0,
      error: "",
      hint: "",
      result: null,
      ...retry,
    };
    expect(allRows(raw).targets).toEqual([
      {
        ...pending,
        ...{ idx: 0, url: "u:0", status: "failed", attempts: 1, error: "nope\0 👍", hint: "try b" },
        ...{ started_at_ms: 1_500, finished_at_ms: 1_777 },
      },
      { ...pending, idx: 1, url: "u:1", started_at_ms: null, finished_at_ms: null },
    ]);
    expect(await store.findJob("a")).toMatchObject({ status: "running", targetsDone: 1, targetsFailed: 1 });
  });

  test.each<[EndStatus, number]>([
    ["done", 0],
    ["partial", 1],
    ["failed", 2],
  ])("R4: the last target ends its job as %s and frees its slot", async (end, targetsFailed) => {
    const { store } = await openWithJob(2);
    const outcomes = [0, 1].map((index) => (index < targetsFailed ? failure(index) : done(index)));
    const request = { jobId: "a", outcomes, targetsDone: 2, targetsFailed, end };
    expect(await store.settle(request)).toMatchObject({ live: true });
    expect(await store.status("a")).toMatchObject({
      job: { status: end, targetsDone: 2, targetsFailed, error: "" },
      targets: outcomes.map(({ status, error }) => ({ status, error })),
    });
    expect(await keptCounts(store, "ann")).toMatchObject({ live: 0, liveOfCaller: 0 });
  });

  test("R4: the last target and the job's status are one transaction: without the one there is not the other", async () => {
    const { store, raw } = await openWithJob(1);
    const before = { rows: allRows(raw), counts: await keptCounts(store, "ann") };
    const request = { jobId: "a", outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: "done" as const };
    raw.exec(`create trigger broken before update of status on batch_job when new.status = 'done'
      begin select raise(abort, 'disk full'); end`);
    await expect(store.settle(request)).rejects.toThrow("disk full");
    expect({ rows: allRows(raw), counts: await keptCounts(store, "ann") }).toEqual(before);
    raw.exec("drop trigger broken");
    expect(await store.settle(request)).toMatchObject({ live: true });
  });

  test("R5: a late target of a cancelled job is stored and counted, and cancelled is not overwritten", async () => {
    for (const end of ["done", undefined] as const) {
      const { store } = await openWithJob(end === undefined ? 2 : 1);
      expect(await store.cancel("a")).toBe(true);
      const settlement = await store.settle({ jobId: "a", outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end });
      expect(settlement).toMatchObject({ live: false });
      expect(await store.status("a")).toMatchObject({
        job: { status: "cancelled", targetsDone: 1, targetsFailed: 0 },
        targets: [{ status: "done", result: { content: "ok" } }, { status: "pending" }].slice(
          0,
          end === undefined ? 2 : 1,
        ),
      });
      expect(await keptCounts(store, "ann")).toMatchObject({ live: 0, liveOfCaller: 0 });
    }
  });

  test("R8: outcomes that could not be written before go along in one settling", async () => {
    const { store } = await openWithJob(4);
    const outcomes = [done(0), failure(1), done(2)];
    await store.settle({ jobId: "a", outcomes, targetsDone: 3, targetsFailed: 1, end: undefined });
    expect(await store.status("a")).toMatchObject({
      job: { status: "running", targetsDone: 3, targetsFailed: 1 },
      targets: [{ status: "done" }, { status: "failed" }, { status: "done" }, { status: "pending" }],
    });
  });

  test("section 2: settling a job whose rows vanished says that it is not live, and makes no row", async () => {
    const { store, raw } = await openWithJob(1);
    raw.exec("delete from batch_target; delete from batch_job");
    const request = { jobId: "a", outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: "done" as const };
    expect(await store.settle(request)).toEqual({ live: false, bytes: 0 });
    expect(allRows(raw)).toEqual({ jobs: [], targets: [] });
  });

  test("R3, R5: deferring puts a running target back to pending, and says whether its job is live", async () => {
    const { store } = await openWithJob(2);
    expect(await store.defer({ jobId: "a", index: 0, retryAtMs: null, retrySinceMs: null })).toBe(true);
    expect(await store.status("a")).toMatchObject({ job: { status: "running" }, targets: [{ status: "pending" }, {}] });
    await store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 });
    await store.cancel("a");
    expect(await store.defer({ jobId: "a", index: 0, retryAtMs: null, retrySinceMs: null })).toBe(false);
    expect(await store.status("a")).toMatchObject({
      job: { status: "cancelled", targetsDone: 0 },
      targets: [{ status: "pending", attempts: 2 }, { status: "pending" }],
    });
    expect(await store.defer({ jobId: "unknown", index: 0, retryAtMs: null, retrySinceMs: null })).toBe(false);
  });

  test("R3: deferring never takes back a target that is stored", async () => {
    const { store, raw } = await openWithJob(2);
    await store.settle({ jobId: "a", outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: undefined });
    const before = allRows(raw);
    await store.defer({ jobId: "a", index: 0, retryAtMs: null, retrySinceMs: null });
    await store.defer({ jobId: "a", index: 1, retryAtMs: null, retrySinceMs: null });
    expect(allRows(raw)).toEqual(before);
  });

  test("R5: cancelling ends a queued or a running job once, and frees its slot", async () => {
    const { store } = await openWithJob(1);
    await store.admit(request("queued"));
    expect([await store.cancel("a"), await store.cancel("queued")]).toEqual([true, true]);
    expect([await store.cancel("a"), await store.cancel("queued"), await store.cancel("unknown")]).toEqual([
      ...[false, false, false],
    ]);
    expect((await store.list()).map((job) => [job.id, job.status, job.error])).toEqual([
      ["queued", "cancelled", ""],
      ["a", "cancelled", ""],
    ]);
    expect(await keptCounts(store, "ann")).toMatchObject({ live: 0, liveOfCaller: 0 });
  });
});

test.each(["done", "partial", "failed"] as const)("R5: a %s job cannot be cancelled", async (end) => {
  const { store, raw } = await openStore("memory");
  await admitJob(store, "a");
  await store.settle({ jobId: "a", outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end });
  const before = allRows(raw);
  expect(await store.cancel("a")).toBe(false);
  expect(allRows(raw)).toEqual(before);
});
