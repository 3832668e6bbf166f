import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(new URL("../../src/inspect/page/base.css", import.meta.url), "utf8");
const [light = "", dark = ""] = css.split("@media (prefers-color-scheme: dark)");
const AA = 4.5;

/** The colours of a style sheet's part, by the names of their variables. */
function coloursOf(part: string): Record<string, string> {
  return Object.fromEntries(
    [...part.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [name, colour]),
  );
}

/** Each text colour, and what it is written on. */
const PAIRS: [string, string[]][] = [
  ["ink", ["panel", "bg", "sunken", "accent-soft"]],
  ["ink-2", ["panel", "bg", "sunken", "accent-soft"]],
  ["ink-3", ["panel", "bg", "sunken", "accent-soft"]],
  ["accent", ["panel", "accent-soft"]],
  ["on-accent", ["accent"]],
  ["bad", ["panel"]],
  ["panel", ["bad"]],
  ["delay", ["panel", "sunken", "accent-soft"]],
  ["on-bar", ["fetching", ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => `job-${number}`)]],
];

test.each([
  ["light", coloursOf(light)],
  ["dark", { ...coloursOf(light), ...coloursOf(dark) }],
])("in %s, every text can be read on what it is written on", (_, colours) => {
  const faint = PAIRS.flatMap(([text, grounds]) =>
    grounds.map((ground) => ({ text, ground, ratio: ratio(colours[text], colours[ground]) })),
  ).filter((pair) => !(pair.ratio >= AA));
  expect(faint).toEqual([]);
});

/** How WCAG 2 measures contrast. */
function ratio(one = "#000000", other = "#000000"): number {
  const [bright, dim] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (bright + 0.05) / (dim + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
