import { expect, test } from "vitest";
import { retryAfterMs } from "../../src/cli/retry-after.js";

const NOW_MS = Date.parse("2026-03-01T12:00:00Z");

test.each([
  ["0", 1_000],
  ["1", 1_000],
  ["120", 120_000],
  [" 3 ", 3_000],
  ["Sun, 01 Mar 2026 12:00:07 GMT", 7_000],
  ["Sunday, 01-Mar-26 12:01:00 GMT", 60_000],
  ["Sun, 01 Mar 2026 11:00:00 GMT", 1_000],
])("%j asks for %d ms", (header, ms) => {
  expect(retryAfterMs(header, NOW_MS)).toBe(ms);
});

test.each([null, "", "soon", "-5", "1.5", "1e3", "2026-03-02", "Sun, 99 Mar 2026 12:00:00 GMT", "9".repeat(400)])(
  "%j asks for nothing sensible",
  (header) => {
    expect(retryAfterMs(header, NOW_MS)).toBeUndefined();
  },
);
