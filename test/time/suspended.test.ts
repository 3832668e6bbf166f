import { expect, test } from "vitest";
import { RetryLaterError } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { troubledStore } from "../support/troubled-store.js";
import { HOUR_MS } from "./life-on-clock.js";

test("R2: after an hour's sleep of the process all that is due at once gets turns by the rotation, and no more at once than workers", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { clock, submit } = await startRunner({
    fetch: held.fetch,
    workers: 2,
    jobsTotal: 20,
    retryForMs: 2 * HOUR_MS,
  });
  const names = ["a", "b", "c", "d", "e", "f"];
  for (const name of names) await submit("ann", `${name}1`, `${name}2`);
  // The later a job was submitted, the earlier it would be due.
  for (const [index] of names.entries()) {
    (await held.next()).fail(new RetryLaterError("later", { afterMs: 60_000 - index * 10_000 }));
    await settled();
  }
  const fetched = held.urls.length;
  clock.increment(HOUR_MS);
  await settled();
  expect(held.waiting).toBe(2);
  for (let turn = 0; turn < 12; turn++) {
    const call = await held.next();
    expect(held.waiting).toBeLessThanOrEqual(1);
    call.succeed();
    await settled();
  }
  // Timers fire by their due times, so that f and e find the idle workers; from e on the turns go round in submit order.
  expect(held.urls.slice(fetched)).toEqual(["f1", "e1", "f2", "a1", "b1", "c1", "d1", "e2", "a2", "b2", "c2", "d2"]);
});

test("R3: a window that ended in the sleep gives its target one more try, and that one's answer is the last", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { clock, runner, submit } = await startRunner({ fetch: held.fetch });
  const id = await submit("ann", "a");
  (await held.next()).fail(new RetryLaterError("before"));
  await settled();
  clock.increment(HOUR_MS);
  (await held.next()).fail(new RetryLaterError("after"));
  await runner.idle();
  expect((await runner.status(id))?.targets).toMatchObject([{ status: "failed", error: "after", attempts: 2 }]);
});

test("targetTimeoutMs: a fetch that was in flight in the sleep has timed out once; one that waited in it has its whole time", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { clock, lines, runner, submit } = await startRunner({ fetch: held.fetch, targetTimeoutMs: 30_000 });
  await submit("ann", "a", "b");
  const late = await held.next();
  clock.increment(HOUR_MS);
  late.succeed();
  const b = await held.next();
  clock.increment(29_999);
  await settled();
  b.succeed();
  await runner.idle();
  await settled();
  expect(lines.filter((line) => line.startsWith("target"))).toEqual(["target timed out", "target ok 15"]);
});

test("R8: a write that the store refused before the sleep is tried once after it, and not once for each try that was missed", async () => {
  const { store: real, raw } = await openStoreFile();
  const { store, refused, calls } = troubledStore(real);
  const held = heldFetch({ ignoreAbort: true });
  const { clock, runner, submit } = await startRunner({ store, fetch: held.fetch });
  const id = await submit("ann", "a");
  refused.add("settle");
  (await held.next()).succeed();
  await settled();
  refused.clear();
  clock.increment(HOUR_MS);
  await runner.idle();
  expect(calls.filter((call) => call === "settle").length).toBe(2);
  expect(jobRows(raw, id)).toEqual({ job: { status: "done", error: "", done: 1, failed: 0 }, targets: ["done"] });
});

test("close: a time limit that ended in the sleep ends closing, and writes no late answer", async () => {
  const { store, raw } = await openStoreFile();
  const held = heldFetch({ ignoreAbort: true });
  const { clock, runner, submit } = await startRunner({ store, fetch: held.fetch });
  const id = await submit("ann", "a");
  const call = await held.next();
  const closed = runner.close({ drain: true, timeoutMs: 5_000 });
  await settled();
  clock.increment(HOUR_MS);
  call.succeed();
  await closed;
  await settled();
  expect(jobRows(raw, id).targets).toEqual(["running"]);
});
