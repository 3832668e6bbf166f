import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url).pathname;

function textsIn(folder: string, ending: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(ending)).map((name) => readFileSync(join(ROOT, folder, name), "utf8"));
}

const rules = [...readFileSync(join(ROOT, "docs/rules.md"), "utf8").matchAll(/^## (R\d)\b/gm)].map(([, rule]) => rule);

test("each rule has tests that are named after it", () => {
  const names = textsIn("test", ".test.ts").flatMap((text) => text.match(/test(\.each\([^`]*?\))?\(\s*["'`].*/g) ?? []);
  expect(rules).toEqual(["R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8"]);
  expect(rules.filter((rule) => !names.some((name) => name.includes(String(rule))))).toEqual([]);
});

test("each rule that a docstring or a test names is written down", () => {
  const named = [...textsIn("src", ".ts"), ...textsIn("test", ".test.ts")].flatMap(
    (text) => text.match(/\bR\d\b/g) ?? [],
  );
  expect([...new Set(named)].sort()).toEqual(rules);
});
