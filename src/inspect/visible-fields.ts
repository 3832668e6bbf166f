import { isRevealable, type Revealable } from "./reveal.js";

/** Fields whose text is an id or a word of ours; any other text may be somebody's data. */
const WORD_FIELDS = new Set(["jobId", "actorId", "outcome", "status"]);
/** Without dots and slashes it can be no host and no URL. */
const WORD = /^[\w:-]{0,80}$/;
const CODE = /^[A-Z][A-Z0-9_]{0,60}$/;
/** A name that code gives a field; of a map that is keyed by data, the keys are data. */
const NAME = /^[A-Za-z_]\w{0,40}$/;
/** What is written at each event must not grow with what an actor keeps. */
const FIELDS_MAX = 32;

export type Visible = string | number | boolean;

/** What anybody may see of a value: a number, a flag, and a word where words are expected. */
export function visible(name: string, value: unknown): Visible | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value === "boolean") return value;
  return WORD_FIELDS.has(name) && isWord(value) ? value : undefined;
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && WORD.test(value);
}

/** An error as its code alone. */
export function errorCode(error: unknown): { code?: string } {
  const code = isObject(error) && "code" in error ? error.code : undefined;
  return typeof code === "string" && CODE.test(code) ? { code } : {};
}

/** Calls `pass` with each field that may be looked at: all that is data by its name is left out, unless it is revealed. */
export function eachField(
  value: object,
  revealed: ReadonlySet<Revealable>,
  pass: (name: string, field: unknown) => void,
): void {
  let count = 0;
  for (const name in value) {
    if (count++ === FIELDS_MAX) return;
    if (NAME.test(name) && (!isRevealable(name) || revealed.has(name))) pass(name, value[name as keyof typeof value]);
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
