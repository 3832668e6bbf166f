import { describe, expect, test } from "vitest";
import { admitJob, allRows, endedJob, openStore, PLACES, request, statuses } from "../support/stores.js";

describe.each(PLACES)("in %s", (place) => {
  test("R2, design 4: starting a target hands back its row, counts the attempt and sets its queued job running", async () => {
    const { store, raw } = await openStore(place);
    const options = '{"mode":"x","deep":{"a":[1,null]}}';
    await store.admit(
      request("a", {
        targets: [
          { url: "u:0", options: "{}" },
          { url: "u:1 \0👍", options },
        ],
      }),
    );
    await admitJob(store, "untouched");
    const untouched = raw.prepare("select * from batch_target where job_id <> 'a' or idx <> 1").all();

    expect(await store.start({ jobId: "a", index: 1, startedAtMs: 1_700_000_000_123, maxInterrupted: 3 })).toEqual({
      outcome: "started",
      url: "u:1 \0👍",
      options: { mode: "x", deep: { a: [1, null] } },
      attempts: 1,
    });
    expect(statuses(raw)).toEqual({ a: "running", untouched: "queued" });
    const started = raw.prepare(
      "select status, attempts, started_at_ms, finished_at_ms, result from batch_target where job_id = 'a' and idx = 1",
    );
    expect(started.get()).toEqual({
      status: "running",
      attempts: 1,
      started_at_ms: 1_700_000_000_123,
      finished_at_ms: null,
      result: null,
    });
    expect(raw.prepare("select * from batch_target where job_id <> 'a' or idx <> 1").all()).toEqual(untouched);
  });

  test("R3: each start of a target counts one more attempt", async () => {
    const { store } = await openStore(place);
    await admitJob(store, "a");
    const attempts: unknown[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      attempts.push(await store.start({ jobId: "a", index: 0, startedAtMs: attempt, maxInterrupted: 3 }));
      await store.defer({ jobId: "a", index: 0, retryAtMs: null, retrySinceMs: null });
    }
    const started = { outcome: "started", url: "u:0", options: {} };
    expect(attempts).toEqual([1, 2, 3].map((attempts) => ({ ...started, attempts })));
    expect(await store.status("a")).toMatchObject({ targets: [{ status: "pending", attempts: 3 }] });
  });

  test("R5: a target of a cancelled, an ended or an unknown job is gone, and nothing is written", async () => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "cancelled");
    await store.cancel("cancelled");
    await endedJob(store, "ended");
    const before = allRows(raw);
    for (const jobId of ["cancelled", "ended", "unknown"]) {
      expect(await store.start({ jobId, index: 0, startedAtMs: 5, maxInterrupted: 3 })).toEqual({ outcome: "gone" });
    }
    expect(allRows(raw)).toEqual(before);
  });

  test.each([
    ["is cut off", `'{"mode":'`],
    ["is empty", "''"],
    ["is a number", "'5'"],
    ["is null", "'null'"],
    ["is a string", `'"x"'`],
    ["is a blob", "x'7b7d'"],
  ])("section 2: a target whose options JSON %s is unreadable, and its job lives", async (_name, broken) => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "a", 2);
    raw.exec(`update batch_target set options = ${broken} where idx = 0`);
    expect(await store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 })).toMatchObject({
      outcome: "unreadable",
    });
    expect(await store.start({ jobId: "a", index: 1, startedAtMs: 1, maxInterrupted: 3 })).toMatchObject({
      outcome: "started",
    });
    expect(statuses(raw)).toEqual({ a: "running" });
  });

  test("section 2: a target whose row is missing is unreadable, and its job lives", async () => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "a", 2);
    raw.exec("delete from batch_target where idx = 0");
    expect(await store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 })).toEqual({
      outcome: "unreadable",
      attempts: 0,
    });
    expect(await store.start({ jobId: "a", index: 1, startedAtMs: 1, maxInterrupted: 3 })).toMatchObject({
      outcome: "started",
    });
  });

  test("design 4: a start is one transaction: when its target cannot be written, its job stays queued", async () => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "a");
    const before = allRows(raw);
    raw.exec("create trigger broken before update on batch_target begin select raise(abort, 'disk full'); end");
    await expect(store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 })).rejects.toThrow("disk full");
    expect(allRows(raw)).toEqual(before);
  });
});
