import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Clock, createBatchRunner, openSqliteStore, RetryLaterError } from "../../src/index.js";
import { heldFetch, ManualClock, settled, untilTerminal } from "../../src/testing/index.js";
import { startOnManualClock } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { troubledStore } from "../support/troubled-store.js";

/** Collects each call of a global's function that is made by code whose path fits. */
function callsFrom<T extends object, K extends keyof T & string>(path: RegExp, owner: T, name: K): string[] {
  const real = owner[name] as (...args: unknown[]) => unknown;
  const found: string[] = [];
  const spy = vi.spyOn(owner as Record<string, (...args: unknown[]) => unknown>, name).mockImplementation((...args) => {
    const frames = String(new Error().stack).split("\n").slice(1);
    const caller = frames.find((frame) => !/@vitest|clock\.test/.test(frame)) ?? "";
    if (path.test(caller)) found.push(`${name} ${caller}`);
    return real.apply(owner, args);
  });
  onTestFinished(() => spy.mockRestore());
  return found;
}

/** Everything that takes time: retries, the store's too, a time limit, a drain with a limit. */
async function lifeOn(clock: Clock, advance: (ms: number) => void) {
  const { store, refused } = troubledStore(await openSqliteStore(":memory:"));
  const runner = await createBatchRunner({
    store,
    clock,
    targetTimeoutMs: 500,
    jobsPerCaller: 8,
    fetch(target, { attempt }) {
      if (target.url === "busy" && attempt < 3) throw new RetryLaterError();
      if (target.url === "hangs") return new Promise(() => {});
      return { content: "" };
    },
  });
  const submit = (...urls: string[]) =>
    runner.submit({ caller: { name: "ann" }, callerClass: "", targets: urls.map((url) => ({ url })) });
  const { id } = await submit("a", "busy", "hangs");
  const other = await submit("a");
  await runner.touch(id);
  for (let time = 0; time < 40; time++) {
    if (time === 3) refused.add("settle");
    if (time === 10) refused.clear();
    await settled();
    advance(500);
  }
  await settled();
  const jobs = [(await runner.status(id))?.job.status, (await runner.status(other.id))?.job.status];
  await submit("hangs");
  await settled();
  const closing = runner.close({ drain: true, timeoutMs: 100 });
  await settled();
  advance(100);
  await closing;
  await store.close();
  return jobs;
}

test("with an injected clock no real timer is ever set, and every reading of time goes through it", async () => {
  const anywhere = /\/src\/|xstate/;
  const timers = [callsFrom(anywhere, globalThis, "setTimeout"), callsFrom(anywhere, globalThis, "setInterval")];
  // xstate stamps its delayed events with Date.now() and waits by the clock all the same.
  const readings = [callsFrom(/\/src\//, Date, "now"), callsFrom(/\/src\//, performance, "now")];
  const clock = new ManualClock();
  expect(await lifeOn(clock, (ms) => clock.jump(ms))).toEqual(["partial", "done"]);
  expect([...timers, ...readings].flat()).toEqual([]);
  expect(clock.waits).toEqual([]);
});

test("a clock without `monotonic` measures by its `now`", async () => {
  const manual = new ManualClock();
  const clock: Clock = {
    now: () => manual.monotonicMs,
    setTimeout: (fn, ms) => manual.setTimeout(fn, ms),
    clearTimeout: (id) => manual.clearTimeout(id),
  };
  expect(await lifeOn(clock, (ms) => manual.jump(ms))).toEqual(["partial", "done"]);
  const seconds: number[] = [];
  const held = heldFetch({ ignoreAbort: true });
  const { submit } = await startOnManualClock({
    clock,
    fetch: held.fetch,
    hooks: { jobSeconds: (value) => seconds.push(value) },
  });
  await submit("ann", "a");
  const call = await held.next();
  manual.jump(2_500);
  call.succeed();
  await settled();
  expect(seconds).toEqual([2.5]);
});

const throwing = () => {
  throw new Error("clock");
};

const BROKEN: [string, Partial<Clock>][] = [
  ["throws from `now`", { now: throwing }],
  ["throws from `monotonic`", { monotonic: throwing }],
  ["throws from `setTimeout`", { setTimeout: throwing }],
  ["throws from `clearTimeout`", { clearTimeout: throwing }],
  ["throws from everything", { now: throwing, monotonic: throwing, setTimeout: throwing, clearTimeout: throwing }],
  ["answers NaN", { now: () => Number.NaN, monotonic: () => Number.NaN }],
  ["answers Infinity", { now: () => Number.POSITIVE_INFINITY, monotonic: () => Number.NEGATIVE_INFINITY }],
  ["answers text", { now: () => "soon" as never, monotonic: () => "later" as never }],
];

describe("R8: the runner works on with a clock that", () => {
  test.each(BROKEN)("%s", async (_name, broken) => {
    const system: Clock = {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      setTimeout: (fn, ms) => setTimeout(fn, ms),
      clearTimeout: (id) => clearTimeout(id as NodeJS.Timeout),
    };
    const store = await openSqliteStore(":memory:");
    const runner = await createBatchRunner({
      store,
      clock: { ...system, ...broken },
      retryWaitMs: 5,
      targetTimeoutMs: 30,
      fetch(target, { attempt }) {
        if (target.url === "busy" && attempt === 1) throw new RetryLaterError();
        if (target.url === "hangs") return new Promise(() => {});
        return { content: "" };
      },
    });
    const targets = ["a", "busy", "hangs"].map((url) => ({ url }));
    const { id } = await runner.submit({ caller: { name: "ann" }, callerClass: "", targets });
    await untilTerminal(runner, id);
    const report = await runner.status(id);
    await runner.close({ drain: true, timeoutMs: 50 });
    await store.close();
    expect(report?.targets.map(({ error, attempts }) => [error, attempts])).toEqual([
      ["", 1],
      ["", 2],
      ["timed out", 1],
    ]);
    expect(Number.isSafeInteger(report?.job.createdAt)).toBe(true);
  });
});

test("`createdAt`, `lease` and `started_at_ms` use wall time; `finished_at_ms` is the start plus the monotonic duration", async () => {
  const { store, raw } = await openStoreFile();
  const held = heldFetch({ ignoreAbort: true });
  const { runner, clock, submit } = await startOnManualClock({ store, fetch: held.fetch, workers: 2 });
  clock.wallMs = 1_700_000_000_999.75;
  const id = await submit("ann", "forth", "back", "again");
  const times = () =>
    raw.prepare("select started_at_ms, finished_at_ms from batch_target where job_id = ? order by idx").raw().all(id);

  const forth = await held.next();
  clock.monotonicMs += 1_500;
  clock.wallMs += 3_600_000;
  forth.succeed();
  const back = await held.next();
  clock.monotonicMs += 250;
  clock.wallMs -= 7_200_000;
  back.fail(new Error("nope"));
  const again = await held.next();
  clock.monotonicMs += 10;
  again.fail(new RetryLaterError());
  await settled();
  clock.jump(2_000);
  (await held.next()).succeed();
  await runner.idle();

  const first = 1_700_000_000_999;
  const second = first + 3_600_000;
  const third = second - 7_200_000 + 2_000;
  expect(times()).toEqual([
    [first, first + 1_500],
    [second, second + 250],
    [third, third],
  ]);
  const row = raw.prepare("select created_at, lease from batch_job").get();
  expect(row).toEqual({ created_at: 1_700_000_000, lease: 1_700_000_000 });
  expect((await runner.status(id))?.job.createdAt).toBe(1_700_000_000);
  await runner.touch(id);
  expect(raw.prepare("select lease from batch_job").pluck().get()).toBe(Math.floor(clock.wallMs / 1000));
});

test("no duration is ever negative, even where a clock's monotonic time steps back", async () => {
  const { store, raw } = await openStoreFile();
  const durations: number[] = [];
  const held = heldFetch({ ignoreAbort: true });
  const { runner, clock, submit } = await startOnManualClock({
    store,
    fetch: held.fetch,
    hooks: {
      target: (_error, durationMs) => durations.push(durationMs),
      jobSeconds: (seconds) => durations.push(seconds),
    },
  });
  await submit("ann", "a");
  const call = await held.next();
  clock.monotonicMs -= 4_000;
  call.succeed();
  await runner.idle();
  await settled();
  expect(durations).toEqual([0, 0]);
  const row = raw.prepare("select finished_at_ms - started_at_ms from batch_target").pluck();
  expect(row.get()).toBe(0);
});

test("wall time that steps neither hurries nor delays a wait", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { clock, submit } = await startOnManualClock({ fetch: held.fetch });
  await submit("ann", "a");
  (await held.next()).fail(new RetryLaterError());
  await settled();
  clock.wallMs += 1e9;
  clock.jump(1_999);
  await settled();
  expect(held.urls).toEqual(["a"]);
  clock.wallMs -= 2e9;
  clock.jump(1);
  (await held.next()).succeed();
});
