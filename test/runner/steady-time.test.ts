import { expect, test } from "vitest";
import { steadyTime } from "../../src/runner/steady-time.js";

/** Steady time at each of these readings; a stand-in of its own, ten ahead with each reading of it. */
function over(readings: (number | undefined)[]): number[] {
  const left = [...readings];
  let standInMs = 7_000;
  const steady = steadyTime(
    () => left.shift(),
    () => {
      standInMs += 10;
      return standInMs;
    },
  );
  return readings.map(() => steady());
}

test.each<[string, (number | undefined)[], number[]]>([
  ["is the clock's own where that goes on", [100, 103, 103, 150], [100, 103, 103, 150]],
  ["stands still where the clock steps back, and goes on from there", [100, 40, 45, 50], [100, 100, 105, 110]],
  [
    "goes on as the stand-in while the clock has no answer",
    [100, undefined, undefined, undefined],
    [100, 100, 110, 120],
  ],
  ["is the stand-in's where the clock never answers", [undefined, undefined], [7_010, 7_020]],
  ["counts a silence as the clock does, once it answers", [100, undefined, 250, 251], [100, 100, 250, 251]],
  [
    "never steps back after a silence",
    [100, undefined, undefined, undefined, 101, 140],
    [100, 100, 110, 120, 120, 159],
  ],
  ["takes an answer after a silence for no jump", [undefined, undefined, 9e9, 9e9 + 5], [7_010, 7_020, 7_020, 7_025]],
  ["knows every second reading alone", [100, undefined, 120, undefined, 140], [100, 100, 120, 120, 140]],
])("R3: steady time %s", (_name, readings, times) => {
  expect(over(readings)).toEqual(times);
});
