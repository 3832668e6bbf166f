import { types } from "node:util";
import { isRetryLaterError, isTargetError, type RetryLaterError } from "../errors.js";
import { readGuarded } from "../guard.js";

/**
 * What a thrown value means (R3). Anything may be thrown, so every look at it is guarded, and nothing of it
 * but the message and hint of an error that is no fault is ever kept.
 */
export type ThrownKind = "fault" | "later" | "failed";

const RUNTIME_ERRORS = ["TypeError", "RangeError", "ReferenceError"];

/** How many errors of a cause chain are looked at before we call it endless. */
const CHAIN_MAX = 10_000;
/** How many places of `errors` arrays are looked at, over the whole chain: many errors may share one long array. */
const GATHERED_MAX = 100_000;

export function kindOf(thrown: unknown): ThrownKind {
  if (isFault(thrown)) return "fault";
  return findInChain(thrown, isRetryLater) === undefined ? "failed" : "later";
}

/** A complaint of the runtime itself, or no error at all: somebody's bug, with a text that nobody meant to be read. */
function isFault(thrown: unknown): boolean {
  if (!isError(thrown)) return true;
  if (readGuarded(() => thrown.name) === "AssertionError") return true;
  if (!isRuntimeError(thrown)) return false;
  return readGuarded(() => thrown.cause ?? (thrown as { code?: unknown }).code) === undefined;
}

function isError(thrown: unknown): thrown is Error {
  return readGuarded(() => types.isNativeError(thrown) || thrown instanceof Error) ?? false;
}

function isRuntimeError(error: Error): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) return true;
  // One of another realm is no Error of ours, and is known by its name.
  const foreign = !((error as unknown) instanceof Error);
  return foreign && RUNTIME_ERRORS.includes(readGuarded(() => error.name) ?? "");
}

function isRetryLater(value: unknown): value is RetryLaterError {
  return readGuarded(() => isRetryLaterError(value)) ?? false;
}

/** The wait that the first `RetryLaterError` in the chain asks for, where that is a number of 0 or more. */
export function afterMsOf(thrown: unknown): number | undefined {
  const later = findInChain(thrown, isRetryLater);
  const afterMs = readGuarded(() => later?.afterMs);
  return typeof afterMs === "number" && afterMs >= 0 ? afterMs : undefined;
}

/** True for what a fetch rejects with because its signal was aborted: anything but an answer of its own (`TargetError`). */
export function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  if (!readGuarded(() => isTargetError(thrown))) return true;
  const isAbortError = (value: unknown): value is unknown =>
    value === signal.reason || readGuarded(() => (value as Error).name) === "AbortError";
  return findInChain(thrown, isAbortError) !== undefined;
}

export function messageOf(thrown: unknown): string {
  const message = readGuarded(() => (thrown as Error).message);
  return typeof message === "string" ? message : "";
}

export function hintOf(thrown: unknown): string {
  const hint = readGuarded(() => (isTargetError(thrown) ? thrown.hint : ""));
  return typeof hint === "string" ? hint : "";
}

/** Walks an error, its causes and the errors it gathers, however they are tangled. */
function findInChain<T>(thrown: unknown, matches: (value: unknown) => value is T): T | undefined {
  // A set may grow while it is walked, and takes each error once.
  const chain = new Set([thrown]);
  let looksLeft = GATHERED_MAX;
  for (const value of chain) {
    if (matches(value)) return value;
    if (typeof value !== "object" || value === null) continue;
    if (chain.size < CHAIN_MAX) chain.add(readGuarded(() => (value as Error).cause));
    const gathered = gatheredBy(value);
    // By index, since an array's own methods and iterator may be anybody's.
    for (let index = 0; index < gathered.length && looksLeft > 0 && chain.size < CHAIN_MAX; index++) {
      looksLeft--;
      chain.add(readGuarded(() => gathered.errors[index]));
    }
  }
  return undefined;
}

function gatheredBy(value: object): { errors: unknown[]; length: number } {
  const none = { errors: [], length: 0 };
  const gathered = readGuarded(() => {
    const { errors } = value as AggregateError;
    return Array.isArray(errors) ? { errors, length: Number(errors.length) } : none;
  });
  return gathered ?? none;
}
