import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { JobProgress } from "../../src/cli/job-board.js";
import { noPaint, type Paint } from "../../src/cli/paint.js";
import { textWidth } from "../../src/cli/printable.js";
import { progressBars } from "../../src/cli/progress-bars.js";

const job = (changes: Partial<JobProgress> = {}): JobProgress => ({
  name: "a.txt",
  status: "running",
  total: 40,
  done: 10,
  failed: 0,
  waiting: false,
  elapsedMs: 5_000,
  ...changes,
});

const screen = { width: 100, height: 24, paint: noPaint };
const FILLED = "█";
const EMPTY = "░";

test("a running job shows its bar, counts, rate and time left", () => {
  const bar = FILLED.repeat(7) + EMPTY.repeat(23);
  expect(progressBars([job()], screen)).toEqual([`a.txt  ${bar}  10/40  2.0/s  15 s left`]);
});

test("failures and a wait are said", () => {
  const bar = FILLED.repeat(9) + EMPTY.repeat(21);
  expect(progressBars([job({ failed: 2, waiting: true })], screen)).toEqual([
    `a.txt  ${bar}  12/40  2 failed  1 waiting to retry  2.4/s  12 s left`,
  ]);
});

test("jobs stand under one another, queued, at work and over", () => {
  const jobs = [
    job({ name: "short", status: "queued", done: 0, elapsedMs: 0 }),
    job({ name: "a-longer-name.txt", done: 0, elapsedMs: 10 }),
    job({ name: "c", status: "partial", done: 37, failed: 3, elapsedMs: 65_000 }),
    job({ name: "d", status: "done", done: 40, elapsedMs: 340 }),
    job({ name: "e", status: "cancelled", elapsedMs: 0 }),
  ];
  expect(progressBars(jobs, screen)).toEqual([
    `short              ${EMPTY.repeat(30)}  0/40  queued`,
    `a-longer-name.txt  ${EMPTY.repeat(30)}  0/40`,
    `c                  ${FILLED.repeat(30)}  40/40  3 failed  partial in 1 min 05 s`,
    `d                  ${FILLED.repeat(30)}  40/40  done in 340 ms`,
    `e                  ${FILLED.repeat(7)}${EMPTY.repeat(23)}  10/40  cancelled in 0 ms`,
  ]);
});

test("slow rates are said by the minute", () => {
  expect(progressBars([job({ done: 1, elapsedMs: 20_000 })], screen)[0]).toMatch(
    / 1\/40 {2}3\.0\/min {2}13 min 00 s left$/,
  );
  expect(progressBars([job({ done: 39, elapsedMs: 1_000 })], screen)[0]).toMatch(/ 39\/s {2}1 s left$/);
});

describe("a narrow terminal", () => {
  const jobs = [
    job({ name: "reports/2026/pages-to-fetch.txt", total: 123_456, done: 99_999, failed: 20_000, waiting: true }),
    job({ name: "数据.txt", status: "queued" }),
  ];

  test("is never written beyond its last column but one", () => {
    for (let width = 10; width <= 160; width++) {
      for (const line of progressBars(jobs, { ...screen, width })) expect(textWidth(line)).toBeLessThan(width);
    }
  });

  test("has shorter bars, then none, then fewer numbers", () => {
    const barOf = (width: number) =>
      (progressBars([job({ waiting: true, failed: 1 })], { ...screen, width })[0] ?? "").replaceAll(/[^█░]/g, "")
        .length;
    expect([100, 75, 64, 62, 30].map(barOf)).toEqual([30, 20, 9, 0, 0]);
    expect(progressBars([job({ waiting: true, failed: 1 })], { ...screen, width: 30 })).toEqual([
      "a.txt  11/40  1 failed",
    ]);
    expect(progressBars([job({ name: "a-long-name.txt" })], { ...screen, width: 10 })).toEqual(["a-long-…"]);
  });

  test("with fewer lines than jobs shows those at work first", () => {
    const many = Array.from({ length: 9 }, (_, index) =>
      job({ name: `${index}`, status: index === 7 ? "running" : index === 8 ? "queued" : "done" }),
    );
    const lines = progressBars(many, { ...screen, height: 5 });
    expect(lines.map((line) => line[0])).toEqual(["7", "8", "0", "…"]);
    expect(lines.at(-1)).toBe("… and 6 more jobs, 6 of them over");
  });
});

test("colours change nothing but the colour", () => {
  const tagged: Paint = (colour, text) => `<${colour}>${text}</>`;
  const [line] = progressBars([job({ failed: 1, waiting: true })], { ...screen, paint: tagged });
  expect(line).toContain(`<green>${FILLED.repeat(7)}</><red>${FILLED}</><dim>${EMPTY.repeat(22)}</>`);
  expect(line).toContain("<red>1 failed</>  <yellow>1 waiting to retry</>");
  expect(line?.replaceAll(/<.*?>/g, "")).toBe(progressBars([job({ failed: 1, waiting: true })], screen)[0]);
});

test("a name cannot move the cursor", () => {
  const [line] = progressBars([job({ name: "a\u001B[2J\nb" })], screen);
  expect(line).toMatch(/^a\uFFFD\[2J b/);
  expect(stripVTControlCharacters(line ?? "")).toBe(line);
});
