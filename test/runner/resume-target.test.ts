import { expect, test } from "vitest";
import { RetryLaterError } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { succession } from "../support/succession.js";

const thrower = (): never => {
  throw new Error("no");
};

test("resume: a target that waits to be tried again keeps its due time and its window", async () => {
  const { raw, clock, start } = await succession({ retryForMs: 10_000, retryWaitMs: 4_000 });
  const first = await start();
  const id = await first.submit("ann", "a1", "a2");
  (await first.held.next()).fail(new RetryLaterError("busy"));
  await settled();
  clock.increment(1_500);
  await first.stop();

  // 1.501 s of the wait are over, and the runner is down for another second.
  clock.increment(1_000);
  const second = await start();
  clock.increment(1_498);
  await settled();
  expect(second.held.waiting).toBe(0);
  clock.increment(1);
  const again = await second.held.next();
  expect(again.context.attempt).toBe(2);
  again.fail(new RetryLaterError("busy"));
  await settled();
  await second.stop();

  // Down until the window is over: one more try, at once.
  clock.increment(20_000);
  const third = await start();
  const call = await third.held.next();
  expect(call.context.attempt).toBe(3);
  call.fail(new RetryLaterError("still busy"));
  (await third.held.next()).succeed();
  await third.runner.idle();
  expect((await third.runner.status(id))?.targets.map(({ error, attempts }) => [error, attempts])).toEqual([
    ["still busy", 3],
    ["", 1],
  ]);
  expect(jobRows(raw, id).job).toEqual({ status: "partial", error: "", done: 2, failed: 1 });
});

test("resume: a wall clock that was set back while nobody ran stretches no wait beyond the window", async () => {
  const { clock, start } = await succession({ retryForMs: 10_000, retryWaitMs: 4_000 });
  const aheadMs = 50_000_000;
  const set = (offsetMs: number) => ({
    now: () => clock.now() + offsetMs,
    monotonic: () => clock.now(),
    setTimeout: (fn: () => void, ms: number) => clock.setTimeout(fn, ms),
    clearTimeout: (timer: unknown) => clock.clearTimeout(timer as number),
  });
  const first = await start({ clock: set(aheadMs) });
  await first.submit("ann", "a1");
  (await first.held.next()).fail(new RetryLaterError());
  await settled();
  await first.stop();
  const second = await start({ clock: set(aheadMs - 40_000_000) });
  clock.increment(9_999);
  await settled();
  expect(second.held.waiting).toBe(0);
  clock.increment(1);
  expect((await second.held.next()).context.attempt).toBe(2);
});

test("resume: a target whose attempts died with the process `maxInterrupted` times fails as interrupted, and its job goes on", async () => {
  const { raw, clock, start } = await succession({ maxInterrupted: 2 });
  let id = "";
  for (const attempt of [1, 2]) {
    const dying = await start();
    if (attempt === 1) id = await dying.submit("ann", "poison", "fine");
    expect((await dying.held.next()).context.attempt).toBe(attempt);
    await dying.stop();
  }
  clock.increment(5_000);
  const last = await start();
  const call = await last.held.next();
  expect(call.target.url).toBe("fine");
  call.succeed();
  await last.runner.idle();
  expect((await last.runner.status(id))?.targets).toMatchObject([
    { status: "failed", error: "interrupted", hint: "", attempts: 2 },
    { status: "done", attempts: 1 },
  ]);
  expect(jobRows(raw, id).job).toEqual({ status: "partial", error: "", done: 2, failed: 1 });
  expect(last.lines).toEqual([
    "depth 1",
    "target interrupted",
    "inflight 1",
    "inflight 0",
    "depth 0",
    "target ok 18",
    "job partial",
    "jobSeconds",
  ]);
});

test("resume: a job whose last target was interrupted too often ends by itself, with the seconds since its submit", async () => {
  const seconds: number[] = [];
  const { raw, clock, start } = await succession({ maxInterrupted: 1 });
  clock.increment(1_000_000);
  const dying = await start();
  const id = await dying.submit("ann", "poison");
  await dying.held.next();
  await dying.stop();
  clock.increment(4_999);
  const last = await start({ hooks: { jobSeconds: (s) => seconds.push(s) } });
  await last.runner.idle();
  expect(jobRows(raw, id).job).toEqual({ status: "failed", error: "", done: 1, failed: 1 });
  expect(seconds).toEqual([5]);
});

test("resume: a target that closing cut off was not interrupted, and is tried at once", async () => {
  const { raw, start } = await succession({ maxInterrupted: 1 });
  let id = "";
  for (const attempt of [1, 2, 3]) {
    const runner = await start();
    if (attempt === 1) id = await runner.submit("ann", "a1");
    const call = await runner.held.next();
    expect(call.context.attempt).toBe(attempt);
    const closed = runner.runner.close();
    call.fail(call.context.signal.reason);
    await closed;
  }
  expect(raw.prepare("select status, interruptions, attempts from batch_target where job_id = ?").get(id)).toEqual({
    status: "pending",
    interruptions: 0,
    attempts: 3,
  });
});

test.each<[how: string, options: { drain?: boolean; timeoutMs: number }, late: "abort" | "succeed" | undefined]>([
  ["a drain that takes too long, and its fetch heeds the abort", { drain: true, timeoutMs: 5 }, "abort"],
  ["a drain that takes too long, and its fetch answers late", { drain: true, timeoutMs: 5 }, "succeed"],
  ["closing, and its fetch never answers", { timeoutMs: 5 }, undefined],
])("resume: a target that is cut off by %s, was not interrupted, however often", async (_how, options, late) => {
  const { clock, start } = await succession({ maxInterrupted: 1 });
  let id = "";
  for (const attempt of [1, 2, 3]) {
    const { runner, held, submit } = await start();
    if (attempt === 1) id = await submit("ann", "slow");
    const call = await held.next();
    expect(call.context.attempt).toBe(attempt);
    const closed = runner.close(options);
    clock.increment(5);
    await closed;
    if (late === "abort") call.fail(call.context.signal.reason);
    if (late === "succeed") call.succeed();
    await settled();
  }
  const last = await start();
  (await last.held.next()).succeed();
  await last.runner.idle();
  expect((await last.runner.status(id))?.targets).toMatchObject([{ status: "done", attempts: 4 }]);
});

test("resume: a target whose fetch closed the runner was not interrupted; one whose process died was, in whatever order", async () => {
  const { raw, start } = await succession({ maxInterrupted: 2 });
  const interruptions = () => raw.prepare("select status, interruptions from batch_target").get();
  const dying = await start();
  await dying.submit("ann", "closer");
  await dying.held.next();
  await dying.stop();
  const closing = await start({ fetch: () => closing.runner.close().then(() => ({ content: "" })) });
  await settled();
  await closing.runner.close();
  expect(interruptions()).toEqual({ status: "running", interruptions: 0 });
  const next = await start();
  await next.held.next();
  expect(interruptions()).toEqual({ status: "running", interruptions: 1 });
  await next.stop();
  const last = await start();
  await last.runner.idle();
  expect(interruptions()).toEqual({ status: "failed", interruptions: 2 });
});

test.each<[how: string, leave: () => Promise<void>]>([
  ["refuses to note it", () => Promise.reject(new Error("no"))],
  ["throws at once", thrower],
  ["never answers", () => new Promise(() => {})],
])(
  "resume: what closing cut off counts as interrupted where the store %s, which is given back",
  async (_how, leave) => {
    const { store, clock, start } = await succession({ maxInterrupted: 1 });
    const refusing = { ...store, leave };
    const { runner, held, submit } = await start({ store: refusing });
    const id = await submit("ann", "slow");
    await held.next();
    const closed = runner.close({ timeoutMs: 1 });
    clock.increment(1);
    await closed;
    const last = await start();
    await last.runner.idle();
    expect((await last.runner.status(id))?.targets).toMatchObject([{ status: "failed", error: "interrupted" }]);
  },
);

test("R3: a clock that stands still at the very end of the window brings one more try, and no endless row of them", async () => {
  const { clock, start } = await succession({ retryForMs: 2_000, retryWaitMs: 1_000 });
  const runner = await start();
  const id = await runner.submit("ann", "a1");
  for (const passed of [1_000, 1_000, 0]) {
    (await runner.held.next()).fail(new RetryLaterError("busy"));
    await settled();
    clock.increment(passed);
    await settled();
  }
  expect([runner.held.urls.length, runner.held.waiting]).toEqual([3, 0]);
  clock.increment(1);
  (await runner.held.next()).fail(new RetryLaterError("busy still"));
  await runner.runner.idle();
  expect((await runner.runner.status(id))?.targets).toMatchObject([
    { status: "failed", error: "busy still", attempts: 4 },
  ]);
});
