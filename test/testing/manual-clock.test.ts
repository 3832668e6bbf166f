import { describe, expect, test } from "vitest";
import { createBatchRunner, RetryLaterError } from "../../src/index.js";
import { heldFetch, ManualClock, openMemoryStore, settled, untilTerminal } from "../../src/testing/index.js";
import { startOnManualClock } from "../support/runner.js";

/** Sets timers that say when they fired, by the clock they were set on. */
function timersOn(clock: ManualClock) {
  const fired: [name: string, atMs: number][] = [];
  const beganMs = clock.monotonicMs;
  const set = (name: string, ms: number, then = () => {}) =>
    clock.setTimeout(() => {
      fired.push([name, clock.monotonicMs - beganMs]);
      then();
    }, ms);
  return { fired, set };
}

describe("ManualClock.advance", () => {
  test("fires each timer when it is due, with both times there, in the order they are due", async () => {
    const clock = new ManualClock(1_000_000);
    const { fired, set } = timersOn(clock);
    const walls: number[] = [];
    set("late", 300, () => walls.push(clock.now()));
    set("early", 100, () => walls.push(clock.now()));
    set("not yet", 501);
    await clock.advance(500);
    expect({ fired, walls, nowMs: clock.now(), waits: clock.waits }).toEqual({
      fired: [
        ["early", 100],
        ["late", 300],
      ],
      walls: [1_000_100, 1_000_300],
      nowMs: 1_000_500,
      waits: [1],
    });
  });

  test("fires timers that are due together in the order they were set, and not one that another took back", async () => {
    const clock = new ManualClock();
    const { fired, set } = timersOn(clock);
    set("first", 10, () => clock.clearTimeout(third));
    set("second", 10);
    const third = set("third", 10);
    await clock.advance(10);
    expect(fired.map(([name]) => name)).toEqual(["first", "second"]);
  });

  test("a timer that is set while time passes is due from then on, however late it is set after an await", async () => {
    const clock = new ManualClock();
    const { fired, set } = timersOn(clock);
    const again = async () => {
      await settled();
      clock.monotonic();
      await settled();
      set("again", 50);
    };
    set("first", 100, () => void again());
    await clock.advance(150);
    expect(fired).toEqual([
      ["first", 100],
      ["again", 150],
    ]);
  });

  test("a timer of 0 ms that sets itself anew lets time go on, as it does in Node", async () => {
    const clock = new ManualClock();
    const { fired, set } = timersOn(clock);
    const again = () => void set("again", 0, again);
    again();
    await clock.advance(3);
    expect(fired.map(([, atMs]) => atMs)).toEqual([1, 2, 3]);
  });

  test("called again before it is through: the times add up", async () => {
    const clock = new ManualClock();
    const { fired, set } = timersOn(clock);
    set("timer", 1_500);
    await Promise.all([clock.advance(1_000), clock.advance(1_000)]);
    expect([fired, clock.monotonicMs]).toEqual([[["timer", 1_500]], 7_000]);
  });

  test("rejects with what a timer throws, and works on", async () => {
    const clock = new ManualClock();
    const { fired, set } = timersOn(clock);
    set("bad", 1, () => {
      throw new Error("mine");
    });
    set("good", 2);
    await expect(clock.advance(5)).rejects.toThrow("mine");
    await clock.advance(5);
    expect(fired.map(([name]) => name)).toEqual(["bad", "good"]);
  });

  test.each([-1, Number.NaN])("%s ms: a RangeError, and no time passes", async (ms) => {
    const clock = new ManualClock();
    await expect(clock.advance(ms)).rejects.toThrow(RangeError);
    expect(() => clock.jump(ms)).toThrow(RangeError);
    expect(clock.monotonicMs).toBe(5_000);
  });
});

test("ManualClock.jump: timers that became due meanwhile fire late, once, and what they set waits", () => {
  const clock = new ManualClock();
  const { fired, set } = timersOn(clock);
  set("due", 100, () => void set("next", 0));
  set("not yet", 1_001);
  clock.jump(1_000);
  expect({ fired, waits: clock.waits }).toEqual({ fired: [["due", 1_000]], waits: [1, 0] });
});

test("ManualClock.jump: timers fire in the order in which they became due, those of one time in the order they were set", () => {
  const clock = new ManualClock();
  const { fired, set } = timersOn(clock);
  for (const [name, ms] of [
    ["late", 900],
    ["early", 100],
    ["also late", 900],
    ["middle", 500],
  ] as const)
    set(name, ms);
  clock.jump(1_000);
  expect(fired.map(([name]) => name)).toEqual(["early", "middle", "late", "also late"]);
});

test("ManualClock: wall time may be set in both directions, and timers go by the monotonic one", async () => {
  const clock = new ManualClock();
  const { fired, set } = timersOn(clock);
  set("timer", 1_000);
  clock.wallMs -= 3_600_000;
  await clock.advance(999);
  clock.wallMs += 7_200_000;
  expect([fired, clock.now(), clock.monotonic()]).toEqual([[], 1_700_000_000_000 + 3_600_000 + 999, 5_999]);
  await clock.advance(1);
  expect(fired).toEqual([["timer", 1_000]]);
});

describe("ManualClock with a runner", () => {
  test("R3: ten minutes of retry-later pass in one call, attempt after attempt, to the end of the window", async () => {
    let attempts = 0;
    const { runner, clock, submit } = await startOnManualClock({
      retryWaitMs: 60_000,
      retryForMs: 600_000,
      fetch: () => {
        throw new RetryLaterError(`attempt ${++attempts}`);
      },
    });
    const id = await submit("ann", "busy");
    await clock.advance(660_001);
    const report = await runner.status(id);
    expect([attempts, report?.job.status, report?.targets[0]?.error]).toEqual([12, "failed", "attempt 12"]);
  });

  test("R2: all that is due at one moment gets its turns before the clock goes on, though one worker needs many", async () => {
    const startedAt: number[] = [];
    const { clock, submit } = await startOnManualClock({
      jobsTotal: 50,
      jobsPerCaller: 50,
      retryWaitMs: 1_000,
      fetch: () => {
        startedAt.push(clock.monotonicMs - 5_000);
        throw new RetryLaterError();
      },
    });
    for (let job = 0; job < 50; job++) await submit("ann", `u${job}`);
    await clock.advance(2_500);
    expect(startedAt).toEqual([0, 1_000, 2_000].flatMap((atMs) => Array(50).fill(atMs)));
  });

  test("with 0 all happens that needs no time: a job of a hundred instant targets ends", async () => {
    const { runner, clock, submit } = await startOnManualClock({
      targetsPerJob: 100,
      fetch: ({ url }) => ({ content: url }),
    });
    const id = await submit("ann", ...Array.from({ length: 100 }, (_, index) => `u${index}`));
    await clock.advance(0);
    expect([(await runner.status(id))?.job.status, clock.monotonicMs]).toEqual(["done", 5_000]);
  });

  test("a time limit passes: the call is aborted, and the target fails with `timed out`", async () => {
    const held = heldFetch();
    const clock = new ManualClock();
    const store = await openMemoryStore();
    const runner = await createBatchRunner({ store, clock, fetch: held.fetch, targetTimeoutMs: 5_000 });
    const { id } = await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [{ url: "slow" }] });
    const { context } = await held.next();
    await clock.advance(4_999);
    expect(context.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(await untilTerminal(runner, id)).toMatchObject({ status: "failed" });
    expect((await runner.status(id))?.targets).toMatchObject([{ error: "timed out" }]);
    await runner.close();
    await store.close();
  });
});
