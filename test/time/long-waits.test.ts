import { describe, expect, onTestFinished, test } from "vitest";
import { createBatchRunner, openSqliteStore, RetryLaterError } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { HOUR_MS, startLife, TIMER_MAX_MS, YEAR_MS } from "./life-on-clock.js";

const AFTER_MS: [string, number][] = [
  ["2^31 - 1", TIMER_MAX_MS],
  ["2^31", 2 ** 31],
  ["2^32 + 5", 2 ** 32 + 5],
  ["a million years", 1e6 * YEAR_MS],
  ["Number.MAX_VALUE", Number.MAX_VALUE],
  ["Infinity", Number.POSITIVE_INFINITY],
];

describe("R3: an `afterMs` that no timer can wait for ends with the window", () => {
  test.each(AFTER_MS)("afterMs: %s", async (_name, afterMs) => {
    const { clock, next, submit } = await startLife({}, (watched) => watched);
    await submit("busy");
    (await next()).fail(new RetryLaterError("later", { afterMs }));
    await settled();
    expect(clock.timers).toEqual([600_000]);
  });

  test.each(AFTER_MS)(
    "afterMs: %s, with the longest window there can be: one timer that Node can keep",
    async (_name, afterMs) => {
      const { clock, next, submit, raw } = await startLife({ retryForMs: TIMER_MAX_MS }, (watched) => watched);
      await submit("busy");
      (await next()).fail(new RetryLaterError("later", { afterMs }));
      await settled();
      clock.jump(TIMER_MAX_MS - 1);
      await settled();
      expect([clock.timers, clock.waits]).toEqual([[TIMER_MAX_MS], [1]]);
      clock.jump(1);
      expect((await next()).context.attempt).toBe(2);
      const due = raw.prepare("select retry_at_ms - retry_since_ms from batch_target").pluck();
      expect(due.get()).toBe(TIMER_MAX_MS);
    },
  );
});

test("R3: on the machine's own clock such a wait is no storm of attempts, and Node has no timer to warn of", async () => {
  const warned: string[] = [];
  const onWarning = ({ name }: Error) => void warned.push(name);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const store = await openSqliteStore(":memory:");
  let attempts = 0;
  const runner = await createBatchRunner({
    store,
    retryForMs: TIMER_MAX_MS,
    fetch() {
      attempts++;
      throw new RetryLaterError("later", { afterMs: Number.POSITIVE_INFINITY });
    },
  });
  await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [{ url: "a" }] });
  await settled();
  // A timer that is too long would fire after 1 ms: before this one.
  await new Promise((resolve) => setTimeout(resolve, 5));
  await settled();
  await runner.close();
  await store.close();
  expect([attempts, warned]).toEqual([1, []]);
});

describe("a `ttlMs` of more than 2^31", () => {
  test.each([
    ["2^31", 2 ** 31],
    ["a year", YEAR_MS],
    ["the largest whole number", Number.MAX_SAFE_INTEGER],
  ])("R1: %s sets no timer, and an equal submit in its time finds the job", async (_name, ttlMs) => {
    const { clock, runner, next, submit } = await startLife({ ttlMs }, (watched) => watched);
    const id = await submit("a");
    (await next()).succeed();
    await runner.idle();
    clock.jump(Math.min(ttlMs, 100 * YEAR_MS));
    await submit("b");
    (await next()).succeed();
    await runner.idle();
    expect([await submit("a"), clock.timers]).toEqual([id, []]);
  });

  test("R1: it ends to the second: the job is swept, and an equal submit starts afresh", async () => {
    const { clock, runner, raw, next, submit } = await startLife({ ttlMs: 30 * 24 * HOUR_MS }, (watched) => watched);
    const id = await submit("a");
    (await next()).succeed();
    await runner.idle();
    clock.jump(30 * 24 * HOUR_MS + 1_000);
    const again = await submit("a");
    expect(again).not.toBe(id);
    expect(raw.prepare("select id from batch_job").pluck().all()).toEqual([again]);
  });
});
