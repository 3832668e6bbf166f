import { describe, expect, test } from "vitest";
import { admitJob, allRows, endedJob, openStore, PLACES, request, targets } from "../support/stores.js";

describe.each(PLACES)("in %s", (place) => {
  test("R1.3: a job of as many targets as allowed is created, one more is refused with limit and count", async () => {
    const { store, raw } = await openStore(place);
    const limits = { targetsPerJob: 3 };
    expect(await store.admit(request("a", { targets: targets(3), limits }))).toEqual({ outcome: "created" });
    const before = allRows(raw);
    expect(await store.admit(request("b", { targets: targets(4), limits }))).toEqual({
      outcome: "refused",
      code: "ERR_TOO_MANY_TARGETS",
      limit: 3,
      count: 4,
    });
    expect(allRows(raw)).toEqual(before);
  });

  test("R1.3: a caller at its cap of live jobs is refused with limit and count, others are not", async () => {
    const { store, raw } = await openStore(place);
    const limits = { jobsPerCaller: 2 };
    await admitJob(store, "a");
    await admitJob(store, "b");
    await store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 });
    const before = allRows(raw);
    expect(await store.admit(request("c", { limits }))).toEqual({
      outcome: "refused",
      code: "ERR_CALLER_BUSY",
      limit: 2,
      count: 2,
    });
    expect(allRows(raw)).toEqual(before);
    expect(await store.admit(request("d", { caller: "bob", limits }))).toEqual({ outcome: "created" });
  });

  test("R1.3: at the cap of live jobs in all everybody is refused with limit and count", async () => {
    const { store } = await openStore(place);
    for (const id of ["a", "b", "c"]) await store.admit(request(id, { caller: `caller of ${id}` }));
    expect(await store.admit(request("d", { limits: { jobsTotal: 3 } }))).toEqual({
      outcome: "refused",
      code: "ERR_BUSY",
      limit: 3,
      count: 3,
    });
  });

  test("R1.3: the caps are looked at in their order: targets, then the caller's jobs, then all jobs", async () => {
    const { store } = await openStore(place);
    await admitJob(store, "a");
    const limits = { targetsPerJob: 1, jobsPerCaller: 1, jobsTotal: 1 };
    const code = async (overrides: Parameters<typeof request>[1]) => {
      const admission = await store.admit(request("b", { limits, ...overrides }));
      return admission.outcome === "refused" ? admission.code : admission.outcome;
    };
    expect(await code({ targets: targets(2) })).toBe("ERR_TOO_MANY_TARGETS");
    expect(await code({})).toBe("ERR_CALLER_BUSY");
    expect(await code({ caller: "bob" })).toBe("ERR_BUSY");
  });

  test("R1.3: ended and cancelled jobs take up no slot", async () => {
    const { store } = await openStore(place);
    await endedJob(store, "ended");
    await admitJob(store, "cancelled");
    await store.cancel("cancelled");
    const limits = { jobsPerCaller: 1, jobsTotal: 1 };
    expect(await store.admit(request("next", { limits }))).toEqual({ outcome: "created" });
    await store.withdraw("next");
    expect(await store.admit(request("last", { limits }))).toEqual({ outcome: "created" });
  });

  test("R1.4: of 20 callers at once at a total of 8, 8 get in", async () => {
    const { store, raw } = await openStore(place);
    const admissions = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.admit(request(`job ${index}`, { caller: `caller ${index}`, limits: { jobsTotal: 8, jobsPerCaller: 1 } })),
      ),
    );
    expect(admissions).toEqual([
      ...Array(8).fill({ outcome: "created" }),
      ...Array(12).fill({ outcome: "refused", code: "ERR_BUSY", limit: 8, count: 8 }),
    ]);
    expect(allRows(raw).jobs).toHaveLength(8);
  });

  test("R1.3: hostile caller names are counted each for itself, and come back as they were", async () => {
    const { store } = await openStore(place);
    const names = [
      "",
      "\0",
      "a\0b",
      "a\0c",
      "a",
      "__proto__",
      "constructor",
      "👩‍👩‍👧",
      "ä",
      "a\u0308",
      "A",
      " a",
      "a'; --",
      "%",
    ];
    const limits = { jobsPerCaller: 1 };
    for (const [index, caller] of names.entries()) {
      expect([caller, await store.admit(request(`${index}`, { caller, limits }))]).toEqual([
        caller,
        { outcome: "created" },
      ]);
    }
    for (const [index, caller] of names.entries()) {
      expect(await store.admit(request(`again ${index}`, { caller, limits }))).toMatchObject({
        code: "ERR_CALLER_BUSY",
        count: 1,
      });
      expect((await store.list({ caller })).map((job) => [job.id, job.caller])).toEqual([[`${index}`, caller]]);
    }
  });
});
