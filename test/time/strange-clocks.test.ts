import { describe, expect, test } from "vitest";
import { type Clock, RetryLaterError } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { seededRandom } from "../support/seeded-random.js";
import { startLife, TIMER_MAX_MS, targetRows, type WatchedClock, withReadings, YEAR_MS } from "./life-on-clock.js";

const WINDOW_MS = 10_000;
const throwing = () => {
  throw new Error("clock");
};

/** Answers as `read` does, but at every second reading as `odd` does. */
function everySecond(read: () => number, odd: () => number): () => number {
  let readings = 0;
  return () => (readings++ % 2 === 1 ? odd() : read());
}

/** A job of two targets, the first of which asks to be tried later until its window is over. */
async function lifeOn(clockOf: (clock: WatchedClock) => Clock) {
  const { clock, runner, raw, said, next, submit } = await startLife({ retryForMs: WINDOW_MS }, clockOf);
  const id = await submit("busy", "fine");
  const attempts: number[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const call = await next();
    clock.jump(100);
    if (call.target.url === "fine") {
      call.succeed();
      break;
    }
    attempts.push(clock.monotonicMs);
    call.fail(new RetryLaterError("busy"));
    await settled();
    clock.jump(2_000);
    await settled();
  }
  await runner.idle();
  const numbers = said.filter((line) => /^(target|seconds)/.test(line));
  return { id, raw, runner, timers: clock.timers, attempts, numbers, rows: targetRows(raw) };
}

/** All of it that holds no wall time. */
async function measured(clockOf: (clock: WatchedClock) => Clock) {
  const { timers, attempts, numbers, rows } = await lifeOn(clockOf);
  return { timers, attempts, numbers, rows };
}

const withNow = (now: (clock: WatchedClock) => () => number) => (clock: WatchedClock) => {
  const read = now(clock);
  return withReadings(clock, { now: read, monotonic: () => clock.monotonicMs });
};
const withMonotonic = (odd: () => number) => (clock: WatchedClock) =>
  withReadings(clock, { now: () => clock.wallMs, monotonic: everySecond(() => clock.monotonicMs, odd) });

const random = seededRandom(7);
const JUMPING: [string, (clock: WatchedClock) => () => number][] = [
  [
    "jumps by up to a year, either way, at every reading",
    (clock) => () => clock.wallMs + random(2 * YEAR_MS) - YEAR_MS,
  ],
  ["goes backward all the time", (clock) => () => 2 * 1_700_000_000_000 - clock.wallMs],
  ["throws at every second reading", (clock) => everySecond(() => clock.wallMs, throwing)],
  [
    "is NaN at every second reading",
    (clock) =>
      everySecond(
        () => clock.wallMs,
        () => Number.NaN,
      ),
  ],
  ["is before 1970", () => () => -86_400_000.5],
  ["is beyond all dates", () => () => Number.MAX_VALUE],
  ["is before all dates", () => () => -Number.MAX_VALUE],
];

describe("R3, R8: every measure is right, and every time that is stored a whole number, where `now`", () => {
  test.each(JUMPING)("%s", async (_name, now) => {
    const { id, raw, runner, ...life } = await lifeOn(withNow(now));
    const { timers, attempts, numbers, rows } = life;
    expect({ timers, attempts, numbers, rows }).toEqual(await measured((clock) => clock));
    const stored = raw.prepare("select created_at, lease from batch_job").raw().get() as number[];
    const started = raw.prepare("select started_at_ms, finished_at_ms from batch_target").raw().all() as number[][];
    const created = (await runner.status(id))?.job.createdAt;
    expect([created, ...stored, ...started.flat()].filter((time) => !Number.isSafeInteger(time))).toEqual([]);
  });
});

describe("R3, R8: windows and durations are right where `monotonic`, at every second reading,", () => {
  test.each<[string, () => number]>([
    ["throws", throwing],
    ["is NaN", () => Number.NaN],
    ["is Infinity", () => Number.POSITIVE_INFINITY],
    ["is -Infinity", () => Number.NEGATIVE_INFINITY],
    ["is undefined", () => undefined as never],
  ])("%s", async (_name, odd) => {
    const strange = await measured(withMonotonic(odd));
    const numbers = strange.rows.map((row) => (row as unknown[]).at(-1) as number);
    // One reading of two is missing, so that a duration may hold the wait before it, or lack itself.
    expect(numbers.filter((ms) => !(ms >= 0 && ms <= 2_100))).toEqual([]);
    expect(strange.timers.filter((ms) => !(ms >= 0 && ms <= WINDOW_MS))).toEqual([]);
    expect(strange.rows.map((row) => (row as unknown[]).slice(0, 3))).toEqual([
      ["busy", "failed", "busy"],
      ["fine", "done", ""],
    ]);
    expect(strange.attempts.length).toBeGreaterThan(3);
  });

  test("jumps by up to a year, either way: the job ends, and no number is impossible", async () => {
    const jumping = everySecond(
      () => 0,
      () => random(2 * YEAR_MS) - YEAR_MS,
    );
    const strange = await measured((clock) => withReadings(clock, { now: () => clock.wallMs, monotonic: jumping }));
    expect(strange.timers.filter((ms) => !(ms >= 0 && ms <= TIMER_MAX_MS))).toEqual([]);
    expect(strange.numbers.filter((line) => !(Number(line.split(" ").at(-1)) >= 0))).toEqual([]);
    expect(strange.rows.map((row) => (row as unknown[])[1])).toEqual(["failed", "done"]);
  });
});
