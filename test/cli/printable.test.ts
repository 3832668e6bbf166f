import { expect, test } from "vitest";
import { fitText, printable, textWidth } from "../../src/cli/printable.js";

test("control characters are shown, not obeyed", () => {
  expect(printable("a\tb\nc\u001B[31md\u0007\u009B")).toBe("a b c\uFFFD[31md\uFFFD\uFFFD");
});

test("East Asian characters and pictures take two columns, marks none", () => {
  expect(textWidth("abc")).toBe(3);
  expect(textWidth("数据")).toBe(4);
  expect(textWidth("🍒")).toBe(2);
  expect(textWidth("e\u0301")).toBe(1);
});

test("a text is brought to an exact width", () => {
  expect(fitText("abc", 5)).toBe("abc  ");
  expect(fitText("abcdef", 4)).toBe("abc…");
  expect(fitText("数据数据", 6)).toBe("数据… ");
  expect(fitText("数据数据", 5)).toBe("数据…");
});
