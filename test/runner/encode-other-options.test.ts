import { expect, test } from "vitest";
import { encodeOptions } from "../../src/runner/encode-targets.js";
import { type SeededRandom, seededRandom } from "../support/seeded-random.js";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

/** Characters whose order differs between UTF-8 and UTF-16, that are escaped, or that make keys look like numbers. */
const CHARACTERS = [
  "a",
  "b",
  "Z",
  "1",
  "9",
  "0",
  "é",
  "<",
  "\u2028",
  "\ud7ff",
  "\ue000",
  "\uffff",
  "🦊",
  "\u{10ffff}",
  '"',
  "\0",
];
const KEYS = ["__proto__", "constructor", "toString", "length", "mode", "recover", ""];

function anyKey(random: SeededRandom): string {
  if (random(8) === 0) return KEYS[random(KEYS.length)] as string;
  return Array.from({ length: random(4) }, () => CHARACTERS[random(CHARACTERS.length)]).join("");
}

function anyValue(random: SeededRandom, depth: number): Json {
  const kind = random(depth === 0 ? 5 : 8);
  if (kind === 0) return null;
  if (kind === 1) return random(2) === 0;
  if (kind === 2) return (random(2_000_001) - 1_000_000) / 2 ** random(12);
  if (kind <= 4) return anyKey(random);
  if (kind === 5) return Array.from({ length: random(4) }, () => anyValue(random, depth - 1));
  return anyObject(random, depth - 1);
}

function anyObject(random: SeededRandom, depth: number): { [key: string]: Json | undefined } {
  const members = Array.from({ length: random(7) }, () => [
    anyKey(random),
    random(10) === 0 ? undefined : anyValue(random, depth),
  ]);
  return Object.fromEntries(members);
}

/** The same object with its keys put in at random, at every depth. */
function reordered(random: SeededRandom, value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((element) => reordered(random, element) as Json);
  if (typeof value !== "object" || value === null) return value;
  const members = random.shuffled(Object.entries(value));
  return Object.fromEntries(members.map(([key, inner]) => [key, reordered(random, inner)]));
}

/** A second, plainer way to the normal form: sorted by the hexadecimal of the UTF-8 bytes, escaped afterwards. */
function reference(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(reference).join(",")}]`;
  if (typeof value === "string") {
    const escaped = (character: string) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, "0")}`;
    return JSON.stringify(value).replace(/[<>&]|\u2028|\u2029/g, escaped);
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter((member): member is [string, Json] => member[1] !== undefined)
    .map(([key, inner]) => ({ bytes: Buffer.from(key).toString("hex"), text: `${reference(key)}:${reference(inner)}` }))
    .sort((a, b) => (a.bytes < b.bytes ? -1 : 1));
  return `{${members.map(({ text }) => text).join(",")}}`;
}

test("R1.2: 500 options at random are sorted by their bytes, whatever the order they came in, and keep their values", () => {
  for (let seed = 0; seed < 500; seed++) {
    const random = seededRandom(seed);
    const other = anyObject(random, 4);
    const encoded = encodeOptions({ other });
    expect({
      seed,
      encoded,
      ofReordered: encodeOptions({ other: reordered(random, other) }),
      ofItself: encodeOptions(JSON.parse(encoded)),
      value: JSON.parse(encoded),
    }).toEqual({
      seed,
      encoded: `{"other":${reference(other)}}`,
      ofReordered: encoded,
      ofItself: encoded,
      value: { other },
    });
  }
});

test("R1.2: an array is read by its indexes, whatever its iterator says", () => {
  const array = Object.assign([1, 2], {
    *[Symbol.iterator]() {
      for (;;) yield 9;
    },
  });
  expect(encodeOptions({ array })).toBe('{"array":[1,2]}');
});
