import { describe, expect, test } from "vitest";
import { parseAge, parseBytes, parseCount, parseDuration, parseWait } from "../../src/cli/option-values.js";

describe("a duration", () => {
  test.each([
    ["500ms", 500],
    ["2s", 2_000],
    ["1.5s", 1_500],
    ["10m", 600_000],
    ["1h", 3_600_000],
    ["3", 3_000],
    ["0", 0],
    ["0.4ms", 1],
    ["0.0001", 1],
    ["596h", 596 * 3_600_000],
    ["1.5d", 36 * 3_600_000],
  ])("%s is %d ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(["", "s", "-1s", "2 s", "2w", "1m30s", "1e3", "NaN", ".5s"])("%j is none", (text) => {
    expect(() => parseDuration(text)).toThrow(/such as 500ms/);
  });

  test("fits into a timer of Node", () => {
    expect(() => parseDuration("597h")).toThrow(/longest is 596h/);
  });

  test("is not 0 where it is a wait", () => {
    expect(parseWait("1ms")).toBe(1);
    expect(() => parseWait("0")).toThrow(/shortest is 1ms/);
  });

  test("may be of years where no timer waits for it, and is not 0 either", () => {
    expect(parseAge("3650d")).toBe(3_650 * 86_400_000);
    for (const text of ["0", "1x", "99999999999999999d"]) expect(() => parseAge(text)).toThrow(/such as/);
  });
});

describe("a size", () => {
  test.each([
    ["0", 0],
    ["65536", 65_536],
    ["64k", 65_536],
    ["1m", 1_048_576],
    ["1M", 1_048_576],
    ["2g", 2_147_483_648],
  ])("%s is %d bytes", (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  test.each(["", "k", "-1", "1.5m", "1mb", "99999999999999999999"])("%j is none", (text) => {
    expect(() => parseBytes(text)).toThrow(/such as 65536/);
  });
});

test("a count is a whole number, 1 or more", () => {
  expect(parseCount("12")).toBe(12);
  for (const text of ["0", "-1", "1.5", "two", "", "99999999999999999999"]) {
    expect(() => parseCount(text)).toThrow(/whole number/);
  }
});
