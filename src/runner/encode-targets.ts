/**
 * The normal form of targets (R1.2): byte for byte what Go's `encoding/json` writes for the standard options,
 * followed by any others, keys sorted by their UTF-8 bytes at every depth.
 */

const STANDARD = ["mode", "question", "pages", "grep", "jq", "context", "recover"];
/** Left out when empty, as Go's `omitempty` does. */
const OMITTED: Record<string, unknown> = { mode: "", question: "", pages: "", grep: "", jq: "", recover: false };
const DEPTH_MAX = 500;

/** Thrown for a value that JSON cannot hold. Its message names what is wrong, never the value. */
export class EncodeError extends Error {}

export interface EncodedTarget {
  url: string;
  options: string;
}

export function encodeTargets(targets: readonly EncodedTarget[]): string {
  return `[${targets.map(({ url, options }) => `{"url":${encodeString(url)},"options":${options}}`).join(",")}]`;
}

/** The normal form of a target's options; absent options are `{}`. Reads each property once. */
export function encodeOptions(options: unknown): string {
  if (options === undefined) return "{}";
  const values = new Map(plainEntries(options));
  const members: string[] = [];
  for (const name of STANDARD) {
    const value = values.get(name);
    values.delete(name);
    if (value === undefined || value === OMITTED[name]) continue;
    members.push(`${encodeString(name)}:${encodeValue(value, 1)}`);
  }
  return `{${[...members, ...encodeMembers(values, 1)].join(",")}}`;
}

/** A string as Go writes it in JSON: also `<`, `>`, `&` and the two Unicode line separators are escaped. */
export function encodeString(text: string): string {
  if (!text.isWellFormed()) throw new EncodeError("options hold a lone surrogate");
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function encodeValue(value: unknown, depth: number): string {
  if (depth > DEPTH_MAX) throw new EncodeError("options are nested too deeply");
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return encodeString(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new EncodeError("options hold a number that JSON cannot");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    // By index, since an array's own iterator may be anybody's; and since map would step over holes.
    const elements = Array.from({ length: value.length }, (_, index) => encodeValue(value[index], depth + 1));
    return `[${elements.join(",")}]`;
  }
  return `{${encodeMembers(plainEntries(value), depth).join(",")}}`;
}

function encodeMembers(entries: Iterable<[string, unknown]>, depth: number): string[] {
  return [...entries]
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => compareUtf8(a, b))
    .map(([key, value]) => `${encodeString(key)}:${encodeValue(value, depth + 1)}`);
}

function plainEntries(value: unknown): [string, unknown][] {
  if (typeof value !== "object" || value === null || !isPlain(Object.getPrototypeOf(value))) {
    throw new EncodeError("options are not a plain JSON object");
  }
  return Object.entries(value);
}

/** True for what a literal or `JSON.parse` of any realm makes, and for objects without a prototype. */
function isPlain(prototype: object | null): boolean {
  if (prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = utf8Rank(a.charCodeAt(index)) - utf8Rank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** UTF-8 keeps the order of code points. UTF-16 does not: its surrogates stand before U+E000, but for what comes after U+FFFF. */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
