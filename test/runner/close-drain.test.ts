import { expect, test } from "vitest";
import { BatchError, createBatchRunner, RetryLaterError } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { startOnManualClock } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

async function startOnFile() {
  const { path, store, raw } = await openStoreFile();
  const held = heldFetch({ ignoreAbort: true });
  const started = await startOnManualClock({ store, fetch: held.fetch });
  let closed = false;
  const close = (options: { drain?: boolean; timeoutMs?: number }) => {
    const closing = started.runner.close(options);
    void closing.then(() => {
      closed = true;
    });
    return closing;
  };
  return { ...started, path, store, raw, held, close, isClosed: () => closed };
}

test("close({ drain }): live jobs finish first, unaborted, and no new ones are taken", async () => {
  const { held, raw, lines, submit, close, isClosed } = await startOnFile();
  const ann = await submit("ann", "a1", "a2");
  const bob = await submit("bob", "b1");
  const a1 = await held.next();
  const closing = close({ drain: true });
  await expect(submit("cem", "c")).rejects.toEqual(new BatchError("ERR_CLOSED"));
  await settled();
  a1.succeed();
  const b1 = await held.next();
  b1.succeed();
  const a2 = await held.next();
  await settled();
  expect([a1, b1, a2].map(({ context }) => context.signal.aborted)).toEqual([false, false, false]);
  expect(isClosed()).toBe(false);
  a2.succeed();
  await closing;
  expect([jobRows(raw, ann).job?.status, jobRows(raw, bob).job?.status]).toEqual(["done", "done"]);
  expect(held.urls).toEqual(["a1", "b1", "a2"]);
  expect(lines.filter((line) => line === "jobSeconds").length).toBe(2);
});

test("close({ drain }): targets that wait to retry are tried again", async () => {
  const { clock, held, raw, submit, close, isClosed } = await startOnFile();
  const id = await submit("ann", "a");
  (await held.next()).fail(new RetryLaterError());
  await settled();
  const closing = close({ drain: true });
  await settled();
  expect(isClosed()).toBe(false);
  clock.jump(2_000);
  (await held.next()).succeed();
  await closing;
  expect(jobRows(raw, id).job?.status).toBe("done");
});

test("close({ drain }): a cancel meanwhile helps it along", async () => {
  const { runner, held, submit, close } = await startOnFile();
  const id = await submit("ann", "a", "b");
  const call = await held.next();
  const closing = close({ drain: true });
  expect(await runner.cancel(id)).toBe(true);
  call.succeed();
  await closing;
  expect(held.urls).toEqual(["a"]);
});

test("close({ drain }): with no live job it resolves at once", async () => {
  const { close } = await startOnFile();
  await close({ drain: true });
});

test("close({ drain, timeoutMs }): the limit bounds the whole, then fetches in flight are aborted and the rest stays pending", async () => {
  const { clock, held, raw, lines, submit, close, isClosed } = await startOnFile();
  const id = await submit("ann", "a", "b");
  const call = await held.next();
  const closing = close({ drain: true, timeoutMs: 5_000 });
  clock.jump(4_999);
  await settled();
  expect([isClosed(), call.context.signal.aborted]).toEqual([false, false]);
  clock.jump(1);
  await closing;
  expect([call.context.signal.aborted, clock.waits]).toEqual([true, []]);
  const rows = { job: { status: "running", error: "", done: 0, failed: 0 }, targets: ["running", "pending"] };
  expect(jobRows(raw, id)).toEqual(rows);
  call.succeed();
  await settled();
  expect(jobRows(raw, id)).toEqual(rows);
  expect(lines.slice(3)).toEqual(["inflight 0"]);
});

test("close({ drain, timeoutMs }): a drain that is over in time leaves no timer", async () => {
  const { clock, held, submit, close } = await startOnFile();
  await submit("ann", "a");
  const call = await held.next();
  const closing = close({ drain: true, timeoutMs: 5_000 });
  call.succeed();
  await closing;
  expect(clock.waits).toEqual([]);
});

test.each(["succeed", "fail", "abort"] as const)(
  "close({ timeoutMs }): after it a late answer (%s) writes nothing and tells nothing",
  async (how) => {
    const { runner, clock, held, raw, lines, submit, close } = await startOnFile();
    const id = await submit("ann", "a", "b");
    const call = await held.next();
    const closing = close({ timeoutMs: 100 });
    await settled();
    expect(call.context.signal.aborted).toBe(true);
    clock.jump(100);
    await closing;
    expect(runner.gauges.getSnapshot().context.inflight).toBe(0);
    const told = [...lines];
    const rows = jobRows(raw, id);
    expect(rows.targets).toEqual(["running", "pending"]);
    if (how === "succeed") call.succeed();
    else call.fail(how === "abort" ? call.context.signal.reason : new Error("late"));
    await settled();
    expect([jobRows(raw, id), lines]).toEqual([rows, told]);
  },
);

test("close({ timeoutMs }): the next start recovers the row that was left, and a late answer changes nothing of that", async () => {
  const { clock, store, held, raw, submit, close } = await startOnFile();
  const id = await submit("ann", "a");
  const call = await held.next();
  const closing = close({ timeoutMs: 100 });
  clock.jump(100);
  await closing;
  const outcomes: string[] = [];
  const next = await createBatchRunner({
    store,
    clock,
    fetch: () => ({ content: "" }),
    hooks: { job: (outcome) => outcomes.push(outcome) },
  });
  const rows = { job: { status: "failed", error: "interrupted", done: 0, failed: 0 }, targets: ["pending"] };
  expect([jobRows(raw, id), outcomes]).toEqual([rows, ["failed"]]);
  call.succeed();
  await settled();
  expect(jobRows(raw, id)).toEqual(rows);
  await next.close();
});

test("close({ timeoutMs }): watches end and idle resolves with a fetch still hanging", async () => {
  const { runner, clock, held, submit, close } = await startOnFile();
  const id = await submit("ann", "a");
  await held.next();
  const statuses: string[] = [];
  const watching = (async () => {
    for await (const job of runner.watch(id)) statuses.push(job.status);
  })();
  const idle = runner.idle();
  await settled();
  const closing = close({ timeoutMs: 100 });
  clock.jump(100);
  await Promise.all([closing, watching, idle]);
  expect(statuses).toEqual(["running"]);
});
