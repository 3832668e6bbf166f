import { describe, expect, onTestFinished, test } from "vitest";
import { RetryLaterError, type RunnerConfig } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { succession } from "../support/succession.js";
import { HOUR_MS, TIMER_MAX_MS, WatchedClock, wallOnly, YEAR_MS } from "./life-on-clock.js";

const RETRY_WAIT_MS = 4_000;
const WINDOW_MS = 60_000;

/** What a restart does not take along: monotonic time begins anew with each process. */
function nextProcess(before: WatchedClock, wallStepMs: number): WatchedClock {
  const clock = new WatchedClock(before.wallMs + wallStepMs);
  clock.monotonicMs = 100;
  return clock;
}

/** As if the process died: what was in flight writes nothing any more. */
async function die(runner: { close(options: object): Promise<void> }, clock: WatchedClock): Promise<void> {
  const closed = runner.close({ timeoutMs: 1 });
  clock.jump(1);
  await closed;
}

/** Runners that follow one another, each on the clock of its own process. */
async function processes(defaults: Partial<RunnerConfig> = {}) {
  const { raw, start } = await succession(defaults);
  const startOn = async (clock: WatchedClock, config: Partial<RunnerConfig> = {}) => {
    const started = await start({ clock, ...config });
    onTestFinished(() => die(started.runner, clock));
    return started;
  };
  return { raw, startOn };
}

const STEPS: [step: string, stepMs: number, waitMs: number][] = [
  ["not set", 0, 3_499],
  ["set 12 hours back", -12 * HOUR_MS, WINDOW_MS],
  ["set a year back", -YEAR_MS, WINDOW_MS],
  ["set half a second back", -500, 3_999],
  ["set half a second forward", 500, 2_999],
  ["set forward to where the target is due", 3_499, 0],
  ["set 12 hours forward", 12 * HOUR_MS, 0],
  ["set a year forward", YEAR_MS, 0],
];

describe("resume: a target that waits for its next try, and the wall clock is set while nobody runs", () => {
  async function leaveWaiting(retryForMs: number) {
    const { raw, startOn } = await processes({ retryForMs, retryWaitMs: RETRY_WAIT_MS });
    const clock = new WatchedClock();
    const first = await startOn(clock);
    const id = await first.submit("ann", "a", "b");
    (await first.held.next()).fail(new RetryLaterError("busy"));
    await settled();
    clock.jump(500);
    await die(first.runner, clock);
    return { raw, startOn, clock, id };
  }

  test.each(STEPS)("%s (%i ms): the wait is %i ms, and never longer than the window", async (_step, stepMs, waitMs) => {
    const { startOn, clock, raw } = await leaveWaiting(WINDOW_MS);
    const next = nextProcess(clock, stepMs);
    const second = await startOn(next);
    await settled();
    expect(next.timers).toEqual(waitMs === 0 ? [] : [waitMs]);
    next.jump(waitMs);
    expect((await second.held.next()).context.attempt).toBe(2);
    expect(raw.prepare("select interruptions from batch_target").pluck().all()).toEqual([0, 0]);
  });

  test("set a year back, with the longest window there can be: one timer that Node can keep", async () => {
    const { startOn, clock } = await leaveWaiting(TIMER_MAX_MS);
    const next = nextProcess(clock, -YEAR_MS);
    await startOn(next);
    await settled();
    expect(next.timers).toEqual([TIMER_MAX_MS]);
  });

  test.each([
    ["forward past the window: the next such answer is the last", YEAR_MS, "failed", []],
    ["back: the window begins anew, and no sooner", -YEAR_MS, "pending", [WINDOW_MS, 1]],
  ] as const)("set %s", async (_name, stepMs, status, timers) => {
    const { startOn, clock, id } = await leaveWaiting(WINDOW_MS);
    const next = nextProcess(clock, stepMs);
    const second = await startOn(next);
    await settled();
    next.jump(WINDOW_MS);
    (await second.held.next()).fail(new RetryLaterError("still busy"));
    await settled();
    expect([(await second.runner.status(id))?.targets[0]?.status, next.timers]).toEqual([status, timers]);
  });
});

describe("resume: a job in flight, and the wall clock is set while nobody runs", () => {
  test.each([
    ["12 hours back", -12 * HOUR_MS, 0],
    ["not at all", 0, 2],
    ["a year forward", YEAR_MS, YEAR_MS / 1000 + 2],
  ])(
    "%s: its second attempt starts at once, its durations are its own, and its seconds are wall time",
    async (_name, stepMs, secondsInAll) => {
      const { raw, startOn } = await processes();
      const clock = new WatchedClock();
      const first = await startOn(clock);
      await first.submit("ann", "a");
      await first.held.next();
      clock.jump(999);
      await die(first.runner, clock);

      const next = nextProcess(clock, stepMs);
      const told: number[] = [];
      const hooks = {
        target: (_error: unknown, durationMs: number) => void told.push(durationMs),
        jobSeconds: (seconds: number) => void told.push(seconds),
      };
      const second = await startOn(next, { hooks });
      const call = await second.held.next();
      next.jump(1_000);
      call.succeed();
      await second.runner.idle();
      await settled();
      const startedAtMs = 1_700_000_001_000 + stepMs;
      expect(raw.prepare("select attempts, started_at_ms, finished_at_ms from batch_target").raw().get()).toEqual([
        2,
        startedAtMs,
        startedAtMs + 1_000,
      ]);
      // After a step back the submit lies ahead: only what this process saw is counted.
      expect(told).toEqual([1_000, stepMs < 0 ? 1 : secondsInAll]);
    },
  );
});

test("resume: a live job is not swept, whatever the wall clock says of its lease", async () => {
  const { startOn } = await processes({ ttlMs: 1_000 });
  const clock = new WatchedClock();
  const first = await startOn(clock);
  const id = await first.submit("ann", "a");
  await die(first.runner, clock);
  const second = await startOn(nextProcess(clock, YEAR_MS));
  (await second.held.next()).succeed();
  await second.runner.idle();
  expect((await second.runner.status(id))?.job.status).toBe("done");
});

test("resume: with a clock without `monotonic` that is set while nobody runs, the wait is the same", async () => {
  const { startOn } = await processes({ retryForMs: WINDOW_MS, retryWaitMs: RETRY_WAIT_MS });
  const clock = new WatchedClock();
  const first = await startOn(clock, { clock: wallOnly(clock) });
  await first.submit("ann", "a");
  (await first.held.next()).fail(new RetryLaterError());
  await settled();
  await die(first.runner, clock);
  const next = nextProcess(clock, -12 * HOUR_MS);
  await startOn(next, { clock: wallOnly(next) });
  await settled();
  expect(next.timers).toEqual([WINDOW_MS]);
});
