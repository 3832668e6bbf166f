import { RetryLaterError, TargetError } from "../../src/index.js";
import { nested, revoked, thenable, throwing, trapped, withChanging, withThrowing } from "./odd-values.js";
import { MARK, SECRET } from "./scene.js";

/** What a fetch returns, and what is stored: `done <json>`, `failed: <error>`, or `later <ms>`. */
export interface ReturnedCase {
  name: string;
  make(): unknown;
  stored: string;
}

const INVALID = "failed: invalid result";
const content = SECRET;
const DONE = doneAs({ content });

function returns(name: string, make: () => unknown, stored: string): ReturnedCase {
  return { name, make, stored };
}

function doneAs(result: unknown): string {
  return `done ${JSON.stringify(result)}`;
}

/** No object, or one that JSON cannot hold. */
export const INVALID_RESULTS: ReturnedCase[] = [
  returns("undefined", () => undefined, INVALID),
  returns("null", () => null, INVALID),
  returns("true", () => true, INVALID),
  returns("a number", () => 5, INVALID),
  returns("a bigint", () => 5n, INVALID),
  returns("a symbol", () => Symbol(SECRET), INVALID),
  returns("a string", () => SECRET, INVALID),
  returns("the JSON of a result", () => JSON.stringify({ content }), INVALID),
  returns("a function", () => () => ({ content }), INVALID),
  returns("a function with a toJSON", () => Object.assign(() => {}, { toJSON: () => ({ content }) }), INVALID),
  returns("a class", () => class Page {}, INVALID),
  returns("a boxed string", () => Object(SECRET), INVALID),
  returns("a boxed bigint", () => Object(5n), INVALID),
  returns("a Date", () => new Date(0), INVALID),
  returns("a Date of no time", () => new Date(Number.NaN), INVALID),
  returns("a cycle", () => withItself({ content }), INVALID),
  returns("an array of itself", () => withItself([]), INVALID),
  returns("a bigint inside", () => ({ content, meta: { size: 1n } }), INVALID),
  returns("a throwing getter", () => withThrowing({ content }, "meta"), INVALID),
  returns("a throwing toJSON", () => ({ content, toJSON: throwing }), INVALID),
  returns("a toJSON that throws when it is read", () => withThrowing({ content }, "toJSON"), INVALID),
  returns("a throwing toJSON deep inside", () => ({ content, meta: { deep: [{ toJSON: throwing }] } }), INVALID),
  returns("a toJSON that returns a string", () => ({ toJSON: () => "{}" }), INVALID),
  returns("a toJSON that returns a number", () => ({ toJSON: () => 5 }), INVALID),
  returns("a toJSON that returns null", () => ({ toJSON: () => null }), INVALID),
  returns("a toJSON that returns nothing", () => ({ toJSON: () => undefined }), INVALID),
  returns("a toJSON that returns a function", () => ({ toJSON: () => throwing }), INVALID),
  returns("a toJSON that returns more of its kind without end", () => endless(), INVALID),
  returns("a proxy that refuses its keys", () => new Proxy({}, { ownKeys: throwing }), INVALID),
  returns("a revoked proxy inside", () => ({ content, meta: revoked() }), INVALID),
  returns("a trapped proxy inside", () => ({ content, meta: trapped() }), INVALID),
];

class Page {
  content = SECRET;
  #hidden = SECRET;
  get shown() {
    return this.#hidden;
  }
}

/** Any other object is stored as its JSON. */
export const STORED_RESULTS: ReturnedCase[] = [
  returns("a result", () => ({ content }), DONE),
  returns("an empty object", () => ({}), doneAs({})),
  returns("a frozen result", () => Object.freeze({ content }), DONE),
  returns("an instance of a class", () => new Page(), DONE),
  returns("an object without prototype", () => Object.assign(Object.create(null), { content }), DONE),
  returns("a proxy", () => new Proxy({ content }, {}), DONE),
  returns("an Error", () => new Error(SECRET), doneAs({})),
  returns(
    "a TargetError that was returned and not thrown",
    () => new TargetError(SECRET),
    doneAs(new TargetError(SECRET)),
  ),
  returns("an array", () => [SECRET, 2], doneAs([SECRET, 2])),
  returns("an array with holes", () => Object.assign([], { 2: SECRET }), doneAs([null, null, SECRET])),
  returns("a Buffer", () => Buffer.from(MARK), doneAs({ type: "Buffer", data: [...Buffer.from(MARK)] })),
  returns("bytes", () => new Uint8Array(2), doneAs({ 0: 0, 1: 0 })),
  returns("a Map", () => new Map([[content, content]]), doneAs({})),
  returns("a Set", () => new Set([content]), doneAs({})),
  returns("a Date inside", () => ({ content, at: new Date(0) }), doneAs({ content, at: "1970-01-01T00:00:00.000Z" })),
  returns("what JSON leaves out", () => ({ content, f: throwing, u: undefined, s: Symbol(MARK) }), DONE),
  returns(
    "numbers that JSON cannot hold",
    () => ({ n: Number.NaN, i: Number.POSITIVE_INFINITY, z: -0 }),
    doneAs({ n: null, i: null, z: 0 }),
  ),
  returns("a NUL in the content", () => ({ content: `${MARK}\0tail` }), doneAs({ content: `${MARK}\0tail` })),
  returns("a NUL in a key", () => ({ [`${MARK}\0`]: 1 }), doneAs({ [`${MARK}\0`]: 1 })),
  returns("lone surrogates", () => ({ content: "\ud800 \udc00" }), doneAs({ content: "\ud800 \udc00" })),
  returns("a key `__proto__`", () => JSON.parse('{"__proto__":{"content":1}}'), 'done {"__proto__":{"content":1}}'),
  returns("a key `constructor`", () => ({ constructor: { prototype: 1 } }), doneAs({ constructor: { prototype: 1 } })),
  returns("a key `toString`", () => ({ toString: null, valueOf: 5 }), doneAs({ toString: null, valueOf: 5 })),
  returns("a toJSON that returns a result", () => ({ toJSON: () => ({ content }) }), DONE),
  returns("a toJSON that is no function", () => ({ content, toJSON: 5 }), doneAs({ content, toJSON: 5 })),
  returns("a content that changes between reads", () => withChanging({}, "content", [SECRET, 5n]), DONE),
  returns("1,000 levels", () => nested(1_000, (inner) => [inner]), doneAs(nested(1_000, (inner) => [inner]))),
  // How deep JSON can be written is the runtime's affair: what it cannot write is invalid.
  returns("10,000 levels", () => nested(10_000, (inner) => ({ inner })), deepestStored()),
  returns("a result that changes after it was returned", () => changingLater(), DONE),
];

/** Promises and what passes for one. */
export const THENABLES: ReturnedCase[] = [
  returns("a promise of a promise of a promise", async () => (async () => (async () => ({ content }))())(), DONE),
  returns("a promise of undefined", async () => undefined, INVALID),
  returns("a promise that rejects", () => Promise.reject(new TargetError(SECRET)), `failed: ${SECRET}`),
  returns("a promise of one that rejects", async () => Promise.reject(undefined), "failed: internal error"),
  returns("a thenable that resolves", () => settling((resolve) => resolve({ content })), DONE),
  returns(
    "a thenable of a thenable",
    () => settling((resolve) => resolve(settling((inner) => inner({ content })))),
    DONE,
  ),
  returns("a thenable that settles twice", () => thenable(twice), DONE),
  returns("a thenable that resolves and throws", () => settling((resolve) => throwing(resolve({ content }))), DONE),
  returns("a thenable that throws", () => thenable(throwing), `failed: ${SECRET}`),
  returns("a thenable that throws a RetryLaterError", () => thenable(askLater), "later 1000"),
  returns(
    "a thenable that rejects with a number",
    () => settling((_resolve, reject) => reject(5)),
    "failed: internal error",
  ),
  returns("a thenable that never settles", () => thenable(() => {}), "failed: timed out"),
  returns("a promise that never settles", () => new Promise(() => {}), "failed: timed out"),
  returns("a `then` that is no function", () => thenable(5), 'done {"then":5}'),
  returns("a `then` that throws when it is read", () => withThrowing({ content }, "then"), `failed: ${SECRET}`),
  returns("a trapped proxy", () => trapped({ content }), `failed: ${SECRET}`),
  returns("a revoked proxy", () => revoked({ content }), "failed: internal error"),
];

type Settle = (value: unknown) => unknown;

function settling(then: (resolve: Settle, reject: Settle) => unknown): object {
  return thenable(then);
}

function twice(resolve: Settle, reject: Settle): void {
  resolve({ content });
  reject(new Error(SECRET));
  resolve({ content: 2 });
}

function askLater(): never {
  throw new RetryLaterError(SECRET);
}

function withItself(value: object): object {
  return Object.assign(value, { 0: [value] });
}

function endless(): object {
  return { toJSON: () => ({ inner: endless() }) };
}

function changingLater(): object {
  const result: Record<string, unknown> = { content };
  setImmediate(() => Object.assign(result, { content: 5n, toJSON: throwing }));
  return result;
}

function deepestStored(): string {
  try {
    return doneAs(nested(10_000, (inner) => ({ inner })));
  } catch {
    return INVALID;
  }
}
