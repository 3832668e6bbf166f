import { expect, test } from "vitest";
import type { BatchStore } from "../../src/index.js";
import { heldFetch, type ManualClock, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { logIntoMemory } from "../support/log-lines.js";
import { startOnManualClock } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { StoreTrouble, troubledStore } from "../support/troubled-store.js";

const WRITES = ["start", "settle", "defer", "admit", "sweep", "evict"] as const satisfies (keyof BatchStore)[];

async function startTroubled() {
  const { store: real, raw } = await openStoreFile();
  const trouble = troubledStore(real);
  const log = logIntoMemory();
  const held = heldFetch();
  const started = await startOnManualClock({
    store: trouble.store,
    fetch: held.fetch,
    logger: log.logger,
    jobsPerCaller: 1,
    jobsTotal: 2,
    retryWaitMs: 1_000,
    retryForMs: 10_000,
  });
  return { ...started, ...trouble, raw, held, log };
}

/** Lets the whole of `retryForMs` go by, one `retryWaitMs` after the other, and one more. */
async function passWindow(clock: ManualClock): Promise<void> {
  for (let time = 0; time < 12; time++) {
    await settled();
    clock.jump(1_000);
  }
  await settled();
}

test("R8: a store that fails for longer than `retryForMs`: the job goes on from memory, and its end and hooks come from there", async () => {
  const { runner, clock, refused, raw, held, lines, log, submit } = await startTroubled();
  const id = await submit("ann", "a", "b", "c");
  const call = await held.next();
  for (const method of WRITES) refused.add(method);
  call.succeed();
  await passWindow(clock);
  await runner.idle();
  await settled();

  expect(held.urls).toEqual(["a"]);
  expect(lines.slice(3)).toEqual([
    ...["inflight 0", "target ok 15", "target internal error"],
    ...["depth 0", "target internal error", "job partial", "jobSeconds"],
  ]);
  expect(jobRows(raw, id).job?.status).toBe("running");
  expect(log.warnings().every(({ jobId }) => jobId === id)).toBe(true);
  expect(log.warnings().length).toBeLessThanOrEqual(4);

  // The store works again: the slot is free, and the rows say what was told.
  refused.clear();
  await submit("ann", "next");
  (await held.next()).succeed();
  await runner.idle();
  expect(jobRows(raw, id)).toEqual({
    job: { status: "partial", error: "", done: 3, failed: 2 },
    targets: ["done", "failed: internal error", "failed: internal error"],
  });
  expect((await runner.status(id))?.targets[0]?.result).toEqual({ content: "a" });
});

test("R8: outcomes that the store would not take are stored with the job's next start: no two of its rows ever run", async () => {
  const { store: real, raw } = await openStoreFile();
  const held = heldFetch();
  // It takes writes again right after the last one that it refuses.
  let refusals = 12;
  const settle: BatchStore["settle"] = (...request) =>
    refusals-- > 0 ? Promise.reject(new StoreTrouble()) : real.settle(...request);
  const config = { fetch: held.fetch, retryWaitMs: 1_000, retryForMs: 10_000 };
  const { clock, submit, lines } = await startOnManualClock({ store: { ...real, settle }, ...config });
  const id = await submit("ann", "a", "b");
  (await held.next()).succeed();
  await passWindow(clock);
  expect([refusals, lines.filter((line) => line.startsWith("target"))]).toEqual([-1, ["target ok 15"]]);
  await held.next();
  expect(jobRows(raw, id)).toEqual({
    job: { status: "running", error: "", done: 1, failed: 0 },
    targets: ["done", "running"],
  });
});

test("R8: what went on in memory is written once: its bytes are counted once, however many submits follow", async () => {
  const { runner, clock, refused, raw, held, submit } = await startTroubled();
  const id = await submit("ann", "a", "b");
  const call = await held.next();
  for (const method of WRITES) refused.add(method);
  call.succeed();
  await passWindow(clock);
  await runner.idle();
  refused.clear();
  for (const url of ["c", "d", "e"]) {
    await submit("bob", url);
    (await held.next()).succeed();
    await runner.idle();
  }
  const bytes = raw
    .prepare(
      `select sum(octet_length(url) + octet_length(options) + coalesce(octet_length(result), 0)
         + octet_length(error) + octet_length(hint)) from batch_target where job_id = ?`,
    )
    .pluck();
  expect(raw.prepare("select nbytes from batch_job where id = ?").pluck().get(id)).toBe(bytes.get(id));
});

test("R8: a target that could not be started in all that time counts as failed with `internal error`, unfetched", async () => {
  const { runner, clock, refused, raw, held, lines, submit } = await startTroubled();
  refused.add("start").add("settle");
  const id = await submit("ann", "a", "b");
  await passWindow(clock);
  await runner.idle();
  await settled();
  expect(lines.slice(2)).toEqual([
    ...["target internal error", "depth 0", "target internal error"],
    ...["job failed", "jobSeconds"],
  ]);
  refused.clear();
  await submit("ann", "next");
  expect(jobRows(raw, id)).toEqual({
    job: { status: "failed", error: "", done: 2, failed: 2 },
    targets: ["failed: internal error", "failed: internal error"],
  });
  (await held.next()).succeed();
});

test("R8: a store that only cannot start targets: they are stored as failed, and the job ends in its rows", async () => {
  const { runner, clock, refused, raw, held, submit } = await startTroubled();
  refused.add("start");
  const id = await submit("ann", "a");
  await passWindow(clock);
  await runner.idle();
  expect([held.urls, jobRows(raw, id)]).toEqual([
    [],
    { job: { status: "failed", error: "", done: 1, failed: 1 }, targets: ["failed: internal error"] },
  ]);
});

test("R8: a store that works again in the middle of a job: later targets are fetched, and what was held goes along", async () => {
  const { runner, clock, refused, raw, held, lines, submit } = await startTroubled();
  const id = await submit("ann", "a", "b");
  const call = await held.next();
  refused.add("settle");
  call.succeed();
  await passWindow(clock);
  expect(lines.slice(3)).toEqual(["inflight 0", "target ok 15", "inflight 1"]);
  refused.clear();
  (await held.next()).succeed();
  await runner.idle();
  await settled();
  expect(jobRows(raw, id)).toEqual({
    job: { status: "done", error: "", done: 2, failed: 0 },
    targets: ["done", "done"],
  });
  expect(held.urls).toEqual(["a", "b"]);
  expect(lines.slice(-2)).toEqual(["job done", "jobSeconds"]);
});

test("R8: jobs that ended in memory hold no slot once the store works: every caller and the total are free", async () => {
  const { runner, clock, refused, raw, held, submit } = await startTroubled();
  const ids = [await submit("ann", "a"), await submit("bob", "b")];
  const call = await held.next();
  refused.add("settle").add("start");
  call.succeed();
  await passWindow(clock);
  await runner.idle();
  refused.clear();
  const next = [await submit("ann", "c"), await submit("bob", "d")];
  for (let count = 0; count < 2; count++) (await held.next()).succeed();
  await runner.idle();
  expect([...ids, ...next].map((id) => jobRows(raw, id).job?.status)).toEqual(["done", "failed", "done", "done"]);
});

test("R8: an equal submit after such an end finds the job as it was told", async () => {
  const { runner, clock, refused, held, submit } = await startTroubled();
  const id = await submit("ann", "a");
  const call = await held.next();
  refused.add("settle");
  call.succeed();
  await passWindow(clock);
  await runner.idle();
  refused.clear();
  expect(await submit("ann", "a")).toBe(id);
  expect((await runner.status(id))?.job.status).toBe("done");
});

test("R8: `close()` writes the ends that the store would not take before, where it takes them now", async () => {
  const { runner, clock, refused, raw, held, submit } = await startTroubled();
  const id = await submit("ann", "a");
  const call = await held.next();
  refused.add("settle");
  call.succeed();
  await passWindow(clock);
  await runner.idle();
  refused.clear();
  await runner.close();
  expect(jobRows(raw, id)).toEqual({ job: { status: "done", error: "", done: 1, failed: 0 }, targets: ["done"] });
});

test("R8: a watch of a job that ends in memory ends with that end", async () => {
  const { runner, clock, refused, held, submit } = await startTroubled();
  const id = await submit("ann", "a");
  const call = await held.next();
  const statuses: string[] = [];
  const watching = (async () => {
    for await (const job of runner.watch(id)) statuses.push(job.status);
  })();
  await settled();
  refused.add("settle");
  call.succeed();
  await passWindow(clock);
  await watching;
  expect(statuses).toEqual(["running", "done"]);
});

test("R8: a job that ended in memory has ended: it cannot be cancelled, and a watch of it ends with that end", async () => {
  const { runner, clock, refused, raw, held, lines, submit } = await startTroubled();
  const id = await submit("ann", "a");
  const call = await held.next();
  refused.add("settle");
  call.succeed();
  await passWindow(clock);
  await runner.idle();
  refused.clear();
  const statuses: string[] = [];
  for await (const job of runner.watch(id)) statuses.push(job.status);
  expect([statuses.at(-1), await runner.cancel(id)]).toEqual(["done", false]);
  await runner.close();
  expect([jobRows(raw, id).job?.status, lines.slice(-2)]).toEqual(["done", ["job done", "jobSeconds"]]);
});

test("R8: the window of a failing store begins anew after each write that it took", async () => {
  const { clock, refused, raw, held, submit } = await startTroubled();
  const id = await submit("ann", "a", "b");
  for (const url of ["a", "b"]) {
    const call = await held.next();
    expect(call.target.url).toBe(url);
    refused.add("settle");
    call.succeed();
    for (let time = 0; time < 9; time++) {
      await settled();
      clock.jump(1_000);
    }
    await settled();
    refused.clear();
    clock.jump(1_000);
    await settled();
  }
  expect(jobRows(raw, id)).toEqual({
    job: { status: "done", error: "", done: 2, failed: 0 },
    targets: ["done", "done"],
  });
});

test.each<[end: string, settles: "no" | "only late"]>([
  ["is still refused: the submit is refused as well", "no"],
  ["is taken just then: there is a new job", "only late"],
])(
  "R1.2, R8: a job that failed in memory is not reused, though its row says that it is live, where its end %s",
  async (_end, settles) => {
    const { runner, clock, refused, raw, held, lines, submit, store } = await startTroubled();
    refused.add("start").add("settle");
    const id = await submit("ann", "a");
    await passWindow(clock);
    await runner.idle();
    expect([jobRows(raw, id).job?.status, lines.at(-2)]).toEqual(["queued", "job failed"]);
    const { admit } = store;
    store.admit = async (request) => {
      const admission = await admit(request);
      if (settles === "only late") refused.clear();
      return admission;
    };
    if (settles === "no") {
      await expect(submit("ann", "a")).rejects.toBeInstanceOf(StoreTrouble);
      expect(lines.at(-2)).toBe("job failed");
      refused.clear();
    }
    expect(await submit("ann", "a")).not.toBe(id);
    (await held.next()).succeed();
    await runner.idle();
    expect(lines.at(-2)).toBe("job done");
  },
);
