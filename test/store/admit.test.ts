import { describe, expect, test } from "vitest";
import { allRows, keptCounts, openStore, PLACES, request, summedCounts } from "../support/stores.js";

describe.each(PLACES)("in %s", (place) => {
  test("R1.4: a job is stored queued, its lease and createdAt now, with its targets pending in order", async () => {
    const { store, raw } = await openStore(place);
    const targets = [
      { url: "u:b", options: '{"mode":"x"}' },
      { url: "u:a\0b 👍", options: "{}" },
    ];
    await store.admit(request("a", { callerClass: "gold", idempotencyKey: "k", nowSeconds: 1_234, targets }));
    const job = raw.prepare(
      `select id, caller, caller_class, idem_key, status, error, targets_total, targets_done, targets_failed,
       created_at, lease from batch_job`,
    );
    expect(job.all()).toEqual([
      {
        id: "a",
        caller: "ann",
        caller_class: "gold",
        idem_key: "k",
        status: "queued",
        error: "",
        targets_total: 2,
        targets_done: 0,
        targets_failed: 0,
        created_at: 1_234,
        lease: 1_234,
      },
    ]);
    const fresh = { job_id: "a", status: "pending", result: null, error: "", hint: "", attempts: 0 };
    const times = {
      started_at_ms: null,
      finished_at_ms: null,
      retry_at_ms: null,
      retry_since_ms: null,
      interruptions: 0,
    };
    expect(allRows(raw).targets).toEqual([
      { ...fresh, ...times, idx: 0, url: "u:b", options: '{"mode":"x"}' },
      { ...fresh, ...times, idx: 1, url: "u:a\0b 👍", options: "{}" },
    ]);
  });

  test("R1.4, R8: an admit that fails at its last target rejects and leaves nothing, not even a slot", async () => {
    const { store, raw } = await openStore(place);
    raw.exec(`create trigger disk_full before insert on batch_target when new.idx = 1
      begin select raise(abort, 'disk full'); end`);
    const two = request("a", {
      targets: [
        { url: "u:0", options: "{}" },
        { url: "u:1", options: "{}" },
      ],
    });
    await expect(store.admit(two)).rejects.toThrow("disk full");
    expect(allRows(raw)).toEqual({ jobs: [], targets: [] });
    expect(await keptCounts(store, "ann")).toEqual({ live: 0, liveOfCaller: 0, bytes: 0 });
    raw.exec("drop trigger disk_full");
    expect(await store.admit(two)).toEqual({ outcome: "created" });
  });

  test("R1.4: an id that is taken rejects and leaves the job that has it as it was", async () => {
    const { store, raw } = await openStore(place);
    await store.admit(request("a"));
    const before = allRows(raw);
    await expect(store.admit(request("a", { idempotencyKey: "other" }))).rejects.toThrow(/unique/i);
    expect(allRows(raw)).toEqual(before);
  });

  test("R1, close: a job that was admitted but will not be run can be withdrawn, targets and slot and all", async () => {
    const { store, raw } = await openStore(place);
    await store.admit(request("kept"));
    const before = { rows: allRows(raw), counts: await keptCounts(store, "ann") };
    await store.admit(request("withdrawn"));
    await store.withdraw("withdrawn");
    await store.withdraw("unknown");
    expect({ rows: allRows(raw), counts: await keptCounts(store, "ann") }).toEqual(before);
    expect(before.counts).toEqual(summedCounts(raw, "ann"));
  });
});
