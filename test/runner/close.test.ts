import { describe, expect, test } from "vitest";
import { BatchError, type Result, RetryLaterError, TargetError } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { startOnManualClock } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

async function startOnFile(config: { workers?: number } = {}) {
  const { store, raw } = await openStoreFile();
  const held = heldFetch({ ignoreAbort: true });
  const started = await startOnManualClock({ store, fetch: held.fetch, ...config });
  return { ...started, raw, held };
}

/** Whether a promise has been kept, for looking at it without waiting. */
function watchPromise(promise: PromiseLike<unknown>): { kept: boolean } {
  const seen = { kept: false };
  void promise.then(() => {
    seen.kept = true;
  });
  return seen;
}

test("close: the signal is aborted, fetches in flight are awaited, and nobody gets a turn any more", async () => {
  const { runner, held, submit } = await startOnFile({ workers: 2 });
  await submit("ann", "a1", "a2");
  await submit("bob", "b1", "b2");
  const calls = [await held.next(), await held.next()];
  const closing = runner.close();
  const closed = watchPromise(closing);
  await settled();
  expect(calls.map(({ context }) => context.signal.aborted)).toEqual([true, true]);
  expect(closed.kept).toBe(false);
  calls[0]?.succeed();
  await settled();
  expect(closed.kept).toBe(false);
  calls[1]?.succeed();
  await closing;
  expect(held.urls).toEqual(["a1", "b1"]);
});

describe("close: a fetch that rejects because of the abort leaves its target pending, uncounted, without a hook", () => {
  test.each<[string, (signal: AbortSignal) => unknown]>([
    ["with the signal's reason", (signal) => signal.reason],
    ["with an AbortError of its own", () => new DOMException("stopped", "AbortError")],
    ["with an error caused by the abort", (signal) => new Error("stopped", { cause: signal.reason })],
    ["with a TargetError caused by the abort", (signal) => new TargetError("stopped", { cause: signal.reason })],
    ["with retry later", () => new RetryLaterError()],
  ])("%s", async (_name, errorOf) => {
    const { runner, raw, held, lines, submit } = await startOnFile();
    const id = await submit("ann", "a", "b");
    const call = await held.next();
    const closing = runner.close();
    call.fail(errorOf(call.context.signal));
    await closing;
    expect(jobRows(raw, id)).toEqual({
      job: { status: "running", error: "", done: 0, failed: 0 },
      targets: ["pending", "pending"],
    });
    expect(lines.slice(2)).toEqual(["inflight 1", "inflight 0"]);
  });
});

describe("close: a fetch that ignores the abort is stored as ever", () => {
  test.each<[string, "succeed" | "fail", unknown, string, string]>([
    ["a success", "succeed", { content: "" }, "done", "target ok 14"],
    ["a TargetError", "fail", new TargetError("gone", { hint: "h" }), "failed: gone", "target gone"],
    ["an invalid result", "succeed", null, "failed: invalid result", "target invalid result"],
  ])("%s", async (_name, how, answer, target, line) => {
    const { runner, raw, held, lines, submit } = await startOnFile();
    const id = await submit("ann", "a", "b");
    const call = await held.next();
    const closing = runner.close();
    call[how](answer as Result);
    await closing;
    const failed = how === "fail" || answer === null ? 1 : 0;
    expect(jobRows(raw, id)).toEqual({
      job: { status: "running", error: "", done: 1, failed },
      targets: [target, "pending"],
    });
    expect(lines.slice(3)).toEqual(["inflight 0", line]);
  });
});

test("close: a job whose last target succeeds meanwhile ends, and its end is told", async () => {
  const { runner, raw, held, lines, submit } = await startOnFile();
  const id = await submit("ann", "a");
  const call = await held.next();
  const closing = runner.close();
  call.succeed();
  await closing;
  expect(jobRows(raw, id).job?.status).toBe("done");
  expect(lines.slice(3)).toEqual(["inflight 0", "depth 0", "target ok 15", "job done", "jobSeconds"]);
});

test("close: a job that no worker has reached stays queued", async () => {
  const { runner, raw, held, lines, submit } = await startOnFile();
  await submit("ann", "a");
  const call = await held.next();
  const id = await submit("bob", "b");
  const told = lines.length;
  const closing = runner.close();
  call.fail(call.context.signal.reason);
  await closing;
  await settled();
  expect(jobRows(raw, id)).toEqual({ job: { status: "queued", error: "", done: 0, failed: 0 }, targets: ["pending"] });
  expect(lines.slice(told)).toEqual(["inflight 0"]);
});

test("close: timers are dropped, and a target that waited is never tried again", async () => {
  const { runner, clock, raw, held, submit } = await startOnFile();
  const id = await submit("ann", "a");
  (await held.next()).fail(new RetryLaterError());
  await settled();
  expect(clock.waits).toEqual([2_000]);
  await runner.close();
  expect(clock.waits).toEqual([]);
  clock.jump(10_000);
  await settled();
  expect([held.urls, jobRows(raw, id).targets]).toEqual([["a"], ["pending"]]);
});

test("close: is idempotent: every call returns the first one's promise, whatever it asks for", async () => {
  const { runner, held, submit } = await startOnFile();
  await submit("ann", "a");
  const call = await held.next();
  const first = runner.close();
  expect(
    [runner.close(), runner.close({ drain: true }), runner.close({ timeoutMs: 5 })].map((each) => each === first),
  ).toEqual([true, true, true]);
  const disposed = watchPromise(runner[Symbol.asyncDispose]());
  await settled();
  expect(disposed.kept).toBe(false);
  call.succeed();
  await first;
  expect(runner.close()).toBe(first);
});

test("close: a bad `timeoutMs` is a RangeError that names it, and closes nothing", async () => {
  const { runner, held, submit } = await startOnFile();
  for (const timeoutMs of [-1, Number.NaN, 1.5, 2 ** 31, Number.POSITIVE_INFINITY]) {
    const error = await runner.close({ timeoutMs }).catch((reason: unknown) => reason);
    expect([error instanceof RangeError, String(error).includes("timeoutMs")]).toEqual([true, true]);
  }
  await submit("ann", "a");
  (await held.next()).succeed();
  await runner.idle();
  await runner.close({ timeoutMs: 0 });
});

test("close: afterwards submit is refused, idle resolves, and the rows can still be read", async () => {
  const { runner, held, submit } = await startOnFile();
  const id = await submit("ann", "a");
  const call = await held.next();
  const idle = watchPromise(runner.idle());
  const closing = runner.close();
  call.fail(call.context.signal.reason);
  await closing;
  await settled();
  expect(idle.kept).toBe(true);
  await runner.idle();
  await expect(submit("bob", "b")).rejects.toEqual(new BatchError("ERR_CLOSED"));
  expect((await runner.status(id))?.job.status).toBe("running");
});

test("close: every watch ends, and a new one ends at once", async () => {
  const { runner, held, submit } = await startOnFile();
  const running = await submit("ann", "a");
  const call = await held.next();
  const queued = await submit("bob", "b");
  const watch = async (id: string) => {
    const statuses: string[] = [];
    for await (const job of runner.watch(id)) statuses.push(job.status);
    return statuses;
  };
  const watches = Promise.all([watch(running), watch(queued)]);
  await settled();
  const closing = runner.close();
  call.fail(call.context.signal.reason);
  await closing;
  expect(await watches).toEqual([["running"], ["queued"]]);
  expect(await watch(running)).toEqual(["running"]);
});

test("close: no target is in flight afterwards, and each gauge was told each of its changes once", async () => {
  const { runner, held, lines, submit } = await startOnFile({ workers: 2 });
  await submit("ann", "a");
  await submit("bob", "b");
  const calls = [await held.next(), await held.next()];
  const closing = runner.close();
  for (const call of calls) call.fail(call.context.signal.reason);
  await closing;
  expect(runner.gauges.getSnapshot().context.inflight).toBe(0);
  expect(lines.filter((line) => line.startsWith("inflight"))).toEqual([
    "inflight 1",
    "inflight 2",
    "inflight 1",
    "inflight 0",
  ]);
});

test("close: the store is given back, and stays open for its owner", async () => {
  const { store } = await openStoreFile();
  const first = await startOnManualClock({ store, fetch: () => ({ content: "" }) });
  await expect(startOnManualClock({ store, fetch: () => ({ content: "" }) })).rejects.toEqual(
    new BatchError("ERR_STORE_IN_USE"),
  );
  await first.runner.close();
  const second = await startOnManualClock({ store, fetch: () => ({ content: "" }) });
  await second.submit("ann", "a");
  await second.runner.idle();
  expect((await store.list()).map(({ status }) => status)).toEqual(["done"]);
});
