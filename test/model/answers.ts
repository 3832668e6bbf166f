import { type Result, RetryLaterError, TargetError } from "../../src/index.js";
import type { HeldCall } from "../../src/testing/index.js";

/** What an answer of a fetch means (R3), and what the hook is told of it. */
export type Meaning =
  | { kind: "done"; result: string }
  /** `own`: an answer of the fetch itself, which stands even where the signal is aborted. */
  | { kind: "failed"; error: string; hint: string; told: string; own: boolean }
  | { kind: "later"; error: string; told: string; afterMs: number | undefined };

export interface Answer {
  give(call: HeldCall, throws: (error: unknown) => void): void;
  meaning: Meaning;
}

const returned = (value: unknown, meaning: Meaning): Answer => ({
  give: (call) => call.succeed(value as Result),
  meaning,
});

const done = (content: string, json: string) => returned({ content }, { kind: "done", result: json });

const invalid = (value: unknown): Answer => ({
  // `succeed` takes the absence of a value for its default.
  give: (call) => call.succeed((value === undefined ? Promise.resolve(undefined) : value) as Result),
  meaning: { kind: "failed", error: "invalid result", hint: "", told: "Error: invalid result", own: true },
});

function failed(make: () => unknown, error: string, told: string, { hint = "", own = false } = {}): Answer {
  return { give: (_call, throws) => throws(make()), meaning: { kind: "failed", error, hint, told, own } };
}

const fault = (make: () => unknown, told: string) => failed(make, "internal error", told);

function later(make: () => Error, error: string, told: string, afterMs?: number): Answer {
  return { give: (_call, throws) => throws(make()), meaning: { kind: "later", error, told, afterMs } };
}

const assertion = () =>
  Object.assign(new Error("expected 1", { cause: new RetryLaterError() }), { name: "AssertionError" });
const hostile = { toJSON: () => Number.NaN.toFixed(101) };

/** Each kind of answer, with its meaning written out by hand from R3. */
export const ANSWERS = {
  ok: done("ok", '{"content":"ok"}'),
  "ok and long": done("é".repeat(120), `{"content":"${"é".repeat(120)}"}`),
  "ok as an array": returned([1], { kind: "done", result: "[1]" }),
  "target error": failed(() => new TargetError("nope", { hint: "try é" }), "nope", "thrown TargetError: nope", {
    hint: "try é",
    own: true,
  }),
  "plain error": failed(() => new Error("boom"), "boom", "thrown Error: boom"),
  "error of a network": failed(
    () => new TypeError("fetch failed", { cause: new Error("refused") }),
    "fetch failed",
    "thrown TypeError: fetch failed",
  ),
  "an abort": failed(() => new DOMException("stopped", "AbortError"), "stopped", "thrown AbortError: stopped"),
  fault: fault(() => new TypeError("x is not a function"), "thrown TypeError: x is not a function"),
  "fault that is no error": fault(() => "text", "thrown text"),
  "fault over retry later": fault(assertion, "thrown AssertionError: expected 1"),
  "nothing thrown": fault(() => undefined, "Error: internal error"),
  later: later(() => new RetryLaterError(), "retry later", "thrown RetryLaterError: retry later"),
  "later within a cause": later(
    () => new Error("busy", { cause: new AggregateError([new RetryLaterError("slow", { afterMs: 500 })]) }),
    "busy",
    "thrown Error: busy",
    500,
  ),
  "later at once": later(() => new RetryLaterError("now", { afterMs: 0 }), "now", "thrown RetryLaterError: now", 0),
  "later and long": later(
    () => new RetryLaterError("long", { afterMs: 60_000 }),
    "long",
    "thrown RetryLaterError: long",
    60_000,
  ),
  "later of a bad wait": later(() => new RetryLaterError("bad", { afterMs: -5 }), "bad", "thrown RetryLaterError: bad"),
  "invalid null": invalid(null),
  "invalid nothing": invalid(undefined),
  "invalid number": invalid(42),
  "invalid toJSON": invalid(hostile),
} satisfies Record<string, Answer>;

export type AnswerName = keyof typeof ANSWERS;
