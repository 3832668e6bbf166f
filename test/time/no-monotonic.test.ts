import { expect, test } from "vitest";
import { RetryLaterError } from "../../src/index.js";

import { settled } from "../../src/testing/index.js";
import { HOUR_MS, startLife, wallOnly, YEAR_MS } from "./life-on-clock.js";

const WINDOW_MS = 5_000;

test.each([
  ["12 hours", 12 * HOUR_MS],
  ["a year, which no timer can wait for", YEAR_MS],
])("R3: a clock without `monotonic` that steps back %s: no wait is longer than the window", async (_name, backMs) => {
  const { clock, next, submit } = await startLife({ retryForMs: WINDOW_MS }, wallOnly);
  await submit("busy");
  (await next()).fail(new RetryLaterError());
  await settled();
  clock.wallMs -= backMs;
  clock.jump(2_000);
  (await next()).fail(new RetryLaterError("later", { afterMs: Number.POSITIVE_INFINITY }));
  await settled();
  expect(clock.timers).toEqual([2_000, WINDOW_MS]);
});

test("R3: a clock without `monotonic` that steps back while a window runs: the window ends all the same", async () => {
  const { clock, runner, next, submit } = await startLife({ retryForMs: WINDOW_MS }, wallOnly);
  const id = await submit("busy");
  let attempts = 0;
  for (let time = 0; time < 10; time++) {
    (await next()).fail(new RetryLaterError(`attempt ${++attempts}`));
    await settled();
    if ((await runner.status(id))?.job.status === "failed") break;
    if (time === 1) clock.wallMs -= 12 * HOUR_MS;
    clock.jump(Math.max(1, clock.waits[0]!));
  }
  // After 0 and 2 s, at 2 s once more (what the step took), at 4 s, 5 s, and past the window.
  expect([(await runner.status(id))?.targets[0]?.error, attempts]).toEqual(["attempt 6", 6]);
});

test("R8: a clock without `monotonic` that steps back while the store refuses a putting back: the wait is no longer than it was", async () => {
  const { clock, refused, next, submit } = await startLife({}, wallOnly);
  await submit("busy");
  refused.add("defer");
  (await next()).fail(new RetryLaterError("later", { afterMs: 10_000 }));
  await settled();
  clock.wallMs -= 12 * HOUR_MS;
  refused.clear();
  clock.jump(2_000);
  await settled();
  expect(clock.timers).toEqual([2_000, 10_000]);
});
