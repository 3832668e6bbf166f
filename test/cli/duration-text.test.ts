import { expect, test } from "vitest";
import { durationText } from "../../src/cli/duration-text.js";

test.each([
  [0, "0 ms"],
  [340.4, "340 ms"],
  [999.6, "1 s"],
  [3_210, "3.2 s"],
  [9_960, "10 s"],
  [59_600, "1 min 00 s"],
  [303_000, "5 min 03 s"],
  [3_599_900, "1 h 00 min"],
  [7_500_000, "2 h 05 min"],
])("%d ms is %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
