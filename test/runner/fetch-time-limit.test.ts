import { expect, test, vi } from "vitest";
import { type Result, RetryLaterError } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { startOnManualClock, startRunner } from "../support/runner.js";

const LIMIT = { targetTimeoutMs: 1_000 };

test("targetTimeoutMs: a fetch that ignores its signal is abandoned, and the next target goes on", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { runner, clock, lines, submit } = await startRunner({ fetch: held.fetch, ...LIMIT });
  const id = await submit("ann", "slow", "next");
  const slow = await held.next();
  clock.increment(999);
  await settled();
  expect([slow.context.signal.aborted, lines]).toEqual([false, ["depth 1", "job created", "inflight 1"]]);

  clock.increment(1);
  const next = await held.next();
  const report = await runner.status(id);
  expect({ target: report?.targets[0], lines: lines.slice(3) }).toEqual({
    target: { index: 0, url: "slow", options: {}, status: "failed", error: "timed out", hint: "", attempts: 1 },
    lines: ["inflight 0", "target timed out", "inflight 1"],
  });
  expect(slow.context.signal.aborted).toBe(true);
  expect(slow.context.signal.reason).toMatchObject({ name: "TimeoutError" });
  expect(next.context.signal.aborted).toBe(false);
  next.succeed();
  expect(await untilTerminal(runner, id)).toMatchObject({ status: "partial", targetsDone: 2, targetsFailed: 1 });
});

test.each<[string, "succeed" | "fail", unknown]>([
  ["a result", "succeed", { content: "late" }],
  ["an error", "fail", new Error("late")],
  ["retry later", "fail", new RetryLaterError()],
])("targetTimeoutMs: the late answer of an abandoned fetch is dropped: %s", async (_name, how, answer) => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const held = heldFetch({ ignoreAbort: true });
  const { runner, clock, lines, submit } = await startRunner({ fetch: held.fetch, ...LIMIT });
  const id = await submit("ann", "slow", "next");
  const slow = await held.next();
  clock.increment(1_000);
  const next = await held.next();
  const told = lines.length;
  const before = await runner.status(id);
  slow[how](answer as Result);
  await settled();
  expect([await runner.status(id), lines.slice(told)]).toEqual([before, []]);
  next.succeed();
  await untilTerminal(runner, id);
  await settled();
  expect((await runner.status(id))?.targets.map(({ error }) => error)).toEqual(["timed out", ""]);
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test("targetTimeoutMs: a fetch that obeys its signal has timed out just so", async () => {
  const { runner, clock, submit } = await startRunner({
    fetch: (_target, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    ...LIMIT,
  });
  const id = await submit("ann", "a");
  await settled();
  clock.increment(1_000);
  await untilTerminal(runner, id);
  const target = (await runner.status(id))?.targets[0];
  expect([target?.status, target?.error]).toEqual(["failed", "timed out"]);
});

test.each<[string, "succeed" | "fail", unknown]>([
  ["a result", "succeed", { content: "" }],
  ["an error", "fail", new Error("nope")],
])(
  "targetTimeoutMs: no timer is left after %s in time, and the signal is not aborted later",
  async (_name, how, answer) => {
    const held = heldFetch({ ignoreAbort: true });
    const { clock, runner, submit } = await startOnManualClock({ fetch: held.fetch, ...LIMIT });
    const id = await submit("ann", "a");
    const call = await held.next();
    expect(clock.waits).toEqual([1_000]);
    call[how](answer as Result);
    await untilTerminal(runner, id);
    expect(clock.waits).toEqual([]);
    clock.jump(5_000);
    expect(call.context.signal.aborted).toBe(false);
  },
);

test("targetTimeoutMs: each attempt has the whole limit, which does not run while the target waits", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { clock, runner, submit } = await startOnManualClock({ fetch: held.fetch, ...LIMIT });
  const id = await submit("ann", "a");
  const first = await held.next();
  clock.jump(900);
  first.fail(new RetryLaterError());
  await settled();
  expect(clock.waits).toEqual([2_000]);
  clock.jump(2_000);
  const second = await held.next();
  clock.jump(999);
  second.succeed();
  await untilTerminal(runner, id);
  expect((await runner.status(id))?.targets[0]).toMatchObject({ status: "done", attempts: 2 });
});

test("targetTimeoutMs: without it a fetch may take for ever, and sets no timer", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { clock, runner, submit } = await startOnManualClock({ fetch: held.fetch });
  const id = await submit("ann", "a");
  const call = await held.next();
  expect(clock.waits).toEqual([]);
  clock.jump(1e12);
  await settled();
  expect(call.context.signal.aborted).toBe(false);
  call.succeed();
  expect((await untilTerminal(runner, id))?.status).toBe("done");
});

test("targetTimeoutMs: the hook is told the time until the limit", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const hooked: unknown[] = [];
  const { clock, runner, submit } = await startOnManualClock({
    fetch: held.fetch,
    ...LIMIT,
    hooks: { target: (error, durationMs, bytes) => hooked.push([(error as Error).message, durationMs, bytes]) },
  });
  const id = await submit("ann", "a");
  await held.next();
  clock.jump(1_000);
  await untilTerminal(runner, id);
  expect(hooked).toEqual([["timed out", 1_000, 0]]);
});
