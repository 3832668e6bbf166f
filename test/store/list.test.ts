import { describe, expect, test } from "vitest";
import type { BatchStore, JobFilter } from "../../src/index.js";
import { allRows, done, openStore, PLACES, request, statuses } from "../support/stores.js";

describe.each(PLACES)("in %s", (place) => {
  /** Jobs 0 to 5, submitted by ann and bob by turns; 0 and 1 done, 2 cancelled, 3 running, 4 and 5 queued. */
  async function openWithJobs() {
    const { store, raw } = await openStore(place);
    for (let job = 0; job < 6; job++) {
      await store.admit(request(`${job}`, { caller: job % 2 === 0 ? "ann" : "bob", nowSeconds: 2_000 - job }));
    }
    for (const jobId of ["0", "1"]) {
      await store.settle({ jobId, outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: "done" });
    }
    await store.cancel("2");
    await store.start({ jobId: "3", index: 0, startedAtMs: 1, maxInterrupted: 3 });
    return { store, raw };
  }

  const listed = async (store: BatchStore, filter?: JobFilter) =>
    (await store.list(filter)).map((job) => job.id).join("");

  test("list: all jobs are listed newest first, by submit and not by the clock", async () => {
    const { store } = await openWithJobs();
    await store.touch("0", 9_999);
    expect([await listed(store), await listed(store, {})]).toEqual(["543210", "543210"]);
  });

  test("list: a job is listed as findJob finds it, with the names of the API", async () => {
    const { store } = await openWithJobs();
    const job = { callerClass: "", error: "", targetsTotal: 1, targetsFailed: 0 };
    expect(await store.list({ limit: 3, before: "4" })).toEqual([
      { ...job, id: "3", caller: "bob", status: "running", targetsDone: 0, createdAt: 1_997 },
      { ...job, id: "2", caller: "ann", status: "cancelled", targetsDone: 0, createdAt: 1_998 },
      { ...job, id: "1", caller: "bob", status: "done", targetsDone: 1, createdAt: 1_999 },
    ]);
    expect(await store.list({ limit: 1, before: "4" })).toEqual([await store.findJob("3")]);
  });

  test.each<[JobFilter, string]>([
    [{ caller: "ann" }, "420"],
    [{ caller: "nobody" }, ""],
    [{ status: "done" }, "10"],
    [{ status: "queued" }, "54"],
    [{ status: "partial" }, ""],
    [{ caller: "ann", status: "done" }, "0"],
    [{ limit: 2 }, "54"],
    [{ limit: 1_000 }, "543210"],
    [{ before: "3" }, "210"],
    [{ before: "0" }, ""],
    [{ before: "unknown" }, ""],
    [{ before: "4", caller: "bob", status: "running", limit: 5 }, "3"],
    [{ before: "4", limit: 2, caller: "bob" }, "31"],
  ])("list: the filter %j lists %j", async (filter, ids) => {
    const { store } = await openWithJobs();
    expect(await listed(store, filter)).toBe(ids);
  });

  test("list: before pages through every job once, whatever the page's size", async () => {
    const { store } = await openWithJobs();
    for (const limit of [1, 2, 4]) {
      const seen: string[] = [];
      for (let page = await store.list({ limit }); page.length > 0; ) {
        seen.push(...page.map((job) => job.id));
        page = await store.list({ limit, before: seen.at(-1)! });
      }
      expect(seen).toEqual(["5", "4", "3", "2", "1", "0"]);
    }
  });

  test("list: without a limit, or with a limit of 0, it lists a bounded number", async () => {
    const { store } = await openStore(place);
    for (let job = 0; job < 103; job++) await store.admit(request(`${job}`));
    expect([(await store.list()).length, (await store.list({ limit: 0 })).length]).toEqual([100, 100]);
    expect(await store.list({ limit: 500 })).toHaveLength(103);
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])(
    "list: a limit of %d rejects with a RangeError",
    async (limit) => {
      const { store } = await openStore(place);
      await expect(store.list({ limit })).rejects.toThrow(RangeError);
    },
  );

  test("list: filters are values, never a piece of SQL", async () => {
    const { store, raw } = await openWithJobs();
    const evil = "' or 1=1; delete from batch_job; --";
    const filter = { caller: evil, status: evil as "done", before: evil };
    const before = { rows: allRows(raw), statuses: statuses(raw) };
    expect(await store.list(filter)).toEqual([]);
    expect({ rows: allRows(raw), statuses: statuses(raw) }).toEqual(before);
  });
});
