import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Target } from "../../src/index.js";
import { encodeOptions, encodeString, encodeTargets } from "../../src/runner/encode-targets.js";

interface Vector {
  name: string;
  caller: string;
  targets: Target[];
  encoded: string;
  key: string;
}

const vectors: Vector[] = JSON.parse(readFileSync(new URL("../vectors/idempotency.json", import.meta.url), "utf8"));

function encode(targets: readonly Target[]): string {
  return encodeTargets(targets.map(({ url, options }) => ({ url, options: encodeOptions(options) })));
}

describe("R1.2: the encoding is byte for byte what Go writes", () => {
  test("there are vectors", () => expect(vectors).toHaveLength(16));

  test.each(vectors)("$name", ({ caller, targets, encoded, key }) => {
    const text = encode(targets);
    expect(text).toBe(encoded);
    expect(createHash("sha256").update(`${caller}\0${text}`).digest("hex")).toBe(key);
  });

  test("every character below U+0100, and the odd ones beyond", () => {
    const escaped = new Map([
      ...Array.from({ length: 0x20 }, (_, code) => [code, `\\u00${code.toString(16).padStart(2, "0")}`] as const),
      ...([
        [0x08, "\\b"],
        [0x09, "\\t"],
        [0x0a, "\\n"],
        [0x0c, "\\f"],
        [0x0d, "\\r"],
        [0x22, '\\"'],
        [0x26, "\\u0026"],
        [0x3c, "\\u003c"],
        [0x3e, "\\u003e"],
        [0x5c, "\\\\"],
        [0x2028, "\\u2028"],
        [0x2029, "\\u2029"],
      ] as const),
    ]);
    const codes = [...Array(0x100).keys(), 0x2027, 0x2028, 0x2029, 0x202a, 0xfeff, 0xffff, 0x1f98a, 0x10ffff];
    const expected = codes.map((code) => escaped.get(code) ?? String.fromCodePoint(code)).join("");
    expect(encodeString(String.fromCodePoint(...codes))).toBe(`"${expected}"`);
  });
});

test.each<[string, object | undefined, string]>([
  ["absent options are {}", undefined, "{}"],
  ["undefined options are absent", { mode: undefined, context: undefined, recover: undefined, x: undefined }, "{}"],
  [
    "standard options have Go's order, whatever theirs",
    { recover: true, context: true, jq: "j", grep: "g", pages: "p", question: "q", mode: "m" },
    '{"mode":"m","question":"q","pages":"p","grep":"g","jq":"j","context":true,"recover":true}',
  ],
  ["context is left out only when absent", { context: false, recover: false }, '{"context":false}'],
  ["empty standard strings are left out", { mode: "", question: "", pages: "", grep: "", jq: "" }, "{}"],
  ["other options follow the standard ones", { a: 1, recover: true }, '{"recover":true,"a":1}'],
  ["other options are never left out", { a: "", b: false, c: null, d: 0 }, '{"a":"","b":false,"c":null,"d":0}'],
  [
    "below the top there are no standard options",
    { x: { recover: false, mode: "", jq: undefined, context: true } },
    '{"x":{"context":true,"mode":"","recover":false}}',
  ],
  ["keys that look like numbers are sorted as text", { 9: 1, 10: 2, b: 3 }, '{"10":2,"9":1,"b":3}'],
  ["keys are sorted inside arrays too", { a: [{ z: 1, y: [{ b: 1, a: 2 }] }] }, '{"a":[{"y":[{"a":2,"b":1}],"z":1}]}'],
  ["keys are escaped as values are", { "<&>": 1 }, '{"\\u003c\\u0026\\u003e":1}'],
  [
    "a key beyond the basic plane comes after U+FFFF, as in UTF-8",
    { "\u{1f98a}": 1, "\uffff": 2, "\ue000": 3, "\ud7ff": 4, "": 5 },
    '{"":5,"\ud7ff":4,"\ue000":3,"\uffff":2,"\u{1f98a}":1}',
  ],
])("R1.2: %s", (_name, options, expected) => {
  expect(encodeOptions(options)).toBe(expected);
});
