import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { textWidth } from "../../src/cli/printable.js";
import { textTable } from "../../src/cli/text-table.js";

const head = ["index", "url", "error"];

test("a table is as wide as its texts", () => {
  expect(
    textTable({
      title: "a.txt: partial",
      head,
      rows: [
        [0, "http://a/", "no"],
        [12, "http://bb/", "never"],
      ],
    }),
  ).toBe(
    [
      "┌────────────────────────────┐",
      "│ a.txt: partial             │",
      "├───────┬────────────┬───────┤",
      "│ index │ url        │ error │",
      "├───────┼────────────┼───────┤",
      "│ 0     │ http://a/  │ no    │",
      "│ 12    │ http://bb/ │ never │",
      "└───────┴────────────┴───────┘",
    ].join("\n"),
  );
});

test("a title alone is a table too, and a long one widens it", () => {
  expect(textTable({ title: "a.txt: done" })).toBe("┌─────────────┐\n│ a.txt: done │\n└─────────────┘");
  const lines = textTable({ title: "a title that is longer than all else", head: ["a", "b"], rows: [[1, 2]] }).split(
    "\n",
  );
  expect(lines[1]).toContain("a title that is longer than all else");
});

test("within a width, words are wrapped, URLs broken, and no text is lost", () => {
  const url = `http://a.example/${"x".repeat(60)}`;
  const error = "the server refuses this client for a reason";
  for (let width = 40; width <= 140; width++) {
    const table = textTable(
      {
        title: "title ".repeat(8),
        head,
        rows: [
          [7, url, error],
          [8, "http://数据.example/", ""],
        ],
      },
      width,
    );
    for (const line of table.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(width);
    const cells = table.split("\n").map((line) => line.split("│").map((cell) => cell.trim()));
    expect(cells.map((cell) => cell[2]).join("")).toContain(url);
    expect(cells.map((cell) => cell[3]).join(" ")).toMatch(/the server refuses this client for a reason/);
  }
});

test("a table of very many rows is drawn in time, each row once", () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => [index, `http://a/${index}`, ""]);
  const table = textTable({ head, rows });
  expect(table.match(/http:/g)).toHaveLength(5_000);
});

test("a text of very many words is drawn whole", () => {
  const text = "a ".repeat(200_000).trimEnd();
  expect(textTable({ title: text, head: ["error"], rows: [[text]] }).split(text)).toHaveLength(3);
});

test("no text reaches the terminal as a command", () => {
  const table = textTable({ title: "\u001B[2J", head: ["a"], rows: [["b\nc\u0007"]] });
  expect(table).toBe(stripVTControlCharacters(table));
  expect(table).toContain("│ b c\uFFFD");
});
