import { runInNewContext } from "node:vm";
import { revoked, thenable, throwing, trapped, withThrowing } from "./odd-values.js";
import { MARK, SECRET } from "./scene.js";
import { FAULT, SAID, type ThrownCase, throws } from "./thrown-case.js";

/** The stack first, since V8 makes it of the others. */
const LOOKS = ["stack", "message", "name", "cause", "errors", "hint", "code", "afterMs", "then", "constructor"];
const LONG = SECRET.repeat(150_000);

function foreign(source: string): unknown {
  return runInNewContext(source, { text: SECRET });
}

function nullPrototype<T extends object>(value: T): T {
  return Object.setPrototypeOf(value, null) as T;
}

/** Values that are no errors at all: faults, whatever they look like. */
export const NO_ERRORS: ThrownCase[] = [
  throws("undefined", () => undefined, FAULT),
  throws("null", () => null, FAULT),
  throws("a symbol", () => Symbol(SECRET), FAULT),
  throws("a bigint", () => 10n, FAULT),
  throws("zero", () => 0, FAULT),
  throws("NaN", () => Number.NaN, FAULT),
  throws("false", () => false, FAULT),
  throws("an empty string", () => "", FAULT),
  throws("a string of 5 MB", () => LONG, FAULT),
  throws("a function", () => throwing, FAULT),
  throws("a class", () => class Thrown extends Error {}, FAULT),
  throws("an array of errors", () => [new Error(SECRET)], FAULT),
  throws("a promise that never settles", () => new Promise(() => {}), FAULT),
  throws("an object like an error", () => ({ name: "Error", message: SECRET, stack: SECRET, hint: SECRET }), FAULT),
  throws("an object without prototype", () => nullPrototype({ message: SECRET }), FAULT),
  throws("a thenable that is no error", () => neverSettling({}), FAULT),
  throws("an object whose getters throw", () => withThrowing({}, ...LOOKS), FAULT),
  throws("a revoked proxy", () => revoked(), FAULT),
  throws("a revoked proxy of an error", () => revoked(new Error(SECRET)), FAULT),
  throws("a proxy whose every trap throws", () => trapped(), FAULT),
  throws("a proxy of an error whose every trap throws", () => trapped(new Error(SECRET)), FAULT),
  throws("a proxy that has every property", () => new Proxy({}, { has: () => true, get: () => SECRET }), FAULT),
];

/** Errors whose text may be stored, since they are no complaints of the runtime. */
export const ERRORS: ThrownCase[] = [
  throws("an Error", () => new Error(SECRET), SAID),
  throws("an Error without a message", () => new Error(), "failed: "),
  throws("an Error with a message of 5 MB", () => new Error(LONG), `failed: ${LONG.slice(0, 2_000)}`),
  throws("an Error with a NUL in its message", () => new Error(`${SECRET}\0tail`), `${SAID}\0tail`),
  throws("an Error with a lone surrogate in its message", () => new Error(`${SECRET}\ud800`), `${SAID}\ufffd`),
  throws("an Error whose message is a symbol", () => withValues(new Error(), { message: Symbol(SECRET) }), "failed: "),
  throws(
    "an Error whose message is an object",
    () => withValues(new Error(), { message: { toString: throwing } }),
    "failed: ",
  ),
  throws("an Error whose message throws", () => withThrowing(new Error(), "message"), "failed: "),
  throws("an Error whose every getter throws", () => withThrowing(new Error(), ...LOOKS), "failed: "),
  throws("an Error without prototype", () => nullPrototype(new Error(SECRET)), SAID),
  throws("a proxy of an Error", () => new Proxy(new Error(SECRET), {}), SAID),
  throws("a frozen Error", () => Object.freeze(new Error(SECRET)), SAID),
  throws("an Error that is thenable", () => neverSettling(new Error(SECRET)), SAID),
  throws("an Error whose then throws", () => withThrowing(new Error(SECRET), "then"), SAID),
  throws("an Error with a code", () => withValues(new Error(SECRET), { code: `ERR_${MARK}` }), SAID),
  throws("a DOMException", () => new DOMException(SECRET, "NetworkError"), SAID),
  throws("an AbortError of somebody else's signal", () => new DOMException(SECRET, "AbortError"), SAID),
  throws("an Error of another realm", () => foreign("new Error(text)"), SAID),
  throws("an AggregateError of another realm", () => foreign("new AggregateError([new TypeError(text)], text)"), SAID),
  throws("a SyntaxError", () => new SyntaxError(SECRET), SAID),
  throws("an Error with an odd name", () => withValues(new Error(SECRET), { name: Symbol(MARK) }), SAID),
  throws("a TypeError with a cause", () => new TypeError(SECRET, { cause: SECRET }), SAID),
  throws("a RangeError with a code", () => withValues(new RangeError(SECRET), { code: SECRET }), SAID),
];

/** Complaints of the runtime: somebody's bug, whose text nobody meant to be read. */
export const BUGS: ThrownCase[] = [
  throws("a TypeError", () => new TypeError(SECRET), FAULT),
  throws("a TypeError of another realm", () => foreign("new TypeError(text)"), FAULT),
  throws("a ReferenceError of another realm", () => foreign("new ReferenceError(text)"), FAULT),
  throws("an instance of a subclass of RangeError", () => new (class extends RangeError {})(SECRET), FAULT),
  throws("a TypeError whose cause and code throw", () => withThrowing(new TypeError(SECRET), "cause", "code"), FAULT),
  throws("a frozen TypeError", () => Object.freeze(new TypeError(SECRET)), FAULT),
  throws("a stack overflow", () => overflow(), FAULT),
  throws("an Error named AssertionError", () => withValues(new Error(SECRET), { name: "AssertionError" }), FAULT),
];

function withValues<T extends object>(value: T, properties: object): T {
  for (const [name, property] of Object.entries(properties)) Object.defineProperty(value, name, { value: property });
  return value;
}

/** Whoever awaits it waits for ever. */
function neverSettling<T extends object>(value: T): T {
  return withValues(
    value,
    thenable(() => {}),
  );
}

function overflow(): unknown {
  const deeper = (): never => deeper();
  try {
    return deeper();
  } catch (error) {
    return error;
  }
}
