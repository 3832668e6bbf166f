import { expect, test } from "vitest";
import { batchOf, expectNoSecret, fieldsOf, rejection, SECRET_URL, submitRaw } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";

const url = SECRET_URL;
const lone = "\ud83e";

class Options {
  mode = "answer";
}

class BareOptions extends (null as unknown as ObjectConstructor) {
  static make(): object {
    return Object.create(BareOptions.prototype);
  }
}

const thrower = (): never => {
  throw new Error(SECRET_URL);
};

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function cycle(): object {
  const loop: Record<string, unknown> = {};
  loop.inner = [loop];
  return loop;
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

async function expectInvalidAtOne(targets: unknown): Promise<void> {
  const { runner, store, lines } = await startRunner({ fetch: () => ({ content: "" }) });
  const error = await rejection(submitRaw(runner, batchOf(targets)));
  expect(fieldsOf(error)).toEqual({
    code: "ERR_INVALID_TARGET",
    message: expect.stringContaining("invalid target at index 1"),
    index: 1,
  });
  expectNoSecret(error);
  expect({ jobs: await store.list(), lines }).toEqual({ jobs: [], lines: [] });
}

test.each<[string, unknown]>([
  ["undefined", undefined],
  ["null", null],
  ["a bare URL", url],
  ["a number", 7],
  ["a symbol", Symbol(url)],
  ["an array", [url]],
  ["no url", { options: { question: url } }],
  ["a number for a url", { url: 7 }],
  ["null for a url", { url: null }],
  ["a boxed string for a url", { url: Object(url) }],
  ["a URL object", { url: new URL(url) }],
  ["a url that ends in a high surrogate", { url: url + lone }],
  ["a url with a low surrogate inside", { url: `${url}\udd8a/` }],
  ["a url that throws", Object.defineProperty({}, "url", { get: thrower })],
  ["options that throw", Object.defineProperty({ url }, "options", { get: thrower })],
  ["a target that is a hostile proxy", new Proxy({ url }, { get: thrower })],
  ["a target that is a revoked proxy", revoked({ url })],
])("R1.1: a target that is malformed by %s is named by its index only", async (_name, target) => {
  await expectInvalidAtOne([{ url }, target, { url }]);
});

test("R1.1: a hole is a malformed target", async () => {
  const targets = [{ url }, { url }, { url }];
  delete targets[1];
  await expectInvalidAtOne(targets);
});

test("R1.1: a place in the array that throws is a malformed target", async () => {
  await expectInvalidAtOne(Object.defineProperty([{ url }], 1, { get: thrower }));
});

test("R1.1: of several malformed targets the first is named", async () => {
  await expectInvalidAtOne([{ url }, { url: 7 }, null, { url: lone }]);
});

test.each<[string, unknown]>([
  ["null", null],
  ["a string", url],
  ["a number", 7],
  ["a boolean", true],
  ["an array", [{ mode: "answer" }]],
  ["a function", () => url],
  ["a symbol", Symbol(url)],
  ["a bigint", 1n],
  ["a Date", new Date(0)],
  ["a Map", new Map([["question", url]])],
  ["a Set", new Set([url])],
  ["a RegExp", /x/],
  ["a URL", new URL(url)],
  ["an Error", new Error(url)],
  ["a Promise", Promise.resolve({})],
  ["bytes", new Uint8Array(2)],
  ["a boxed string", Object(url)],
  ["an instance of a class", new Options()],
  ["an instance of a class that extends null", BareOptions.make()],
  ["an object that inherits from a plain one", Object.create({ question: url })],
  ["a revoked proxy", revoked({})],
  ["a proxy that does not tell its prototype", new Proxy({}, { getPrototypeOf: thrower })],
  ["a proxy that does not tell its keys", new Proxy({}, { ownKeys: thrower })],
  ["a proxy that does not tell its values", new Proxy({ question: url }, { get: thrower })],
  ["an object with a toJSON", { toJSON: () => ({ question: url }) }],
])("R1.1: options that are %s are malformed", async (_name, options) => {
  await expectInvalidAtOne([{ url }, { url, options }]);
});

const holey = [1, 2, 3];
delete holey[1];

const values: [string, unknown][] = [
  ["a bigint", 1n],
  ["a symbol", Symbol(url)],
  ["a function", () => url],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["minus Infinity", Number.NEGATIVE_INFINITY],
  ["a lone surrogate", url + lone],
  ["a key with a lone surrogate", { [url + lone]: 1 }],
  ["a Date", new Date(0)],
  ["a Map", new Map([[url, url]])],
  ["a Set", new Set([url])],
  ["an instance of a class", new Options()],
  ["a boxed number", Object(7)],
  ["an array with undefined", [undefined]],
  ["an array with a hole", holey],
  ["an array of nothing but holes", new Array(1_000_000)],
  ["a cycle", cycle()],
  ["a getter that throws", Object.defineProperty({}, "inner", { enumerable: true, get: thrower })],
  ["a revoked proxy", revoked([])],
  ["100,000 objects deep", nested(100_000, (inner) => ({ inner }))],
  ["100,000 arrays deep", nested(100_000, (inner) => [inner])],
];

test.each(values)("R1.1: an option that is %s makes its target malformed", async (_name, value) => {
  await expectInvalidAtOne([{ url }, { url, options: { [url]: value } }]);
});

test.each(values)("R1.1: %s deep inside an option makes its target malformed", async (_name, value) => {
  await expectInvalidAtOne([{ url }, { url, options: { outer: [[{ [url]: { inner: value } }]] } }]);
});

test.each(["mode", "question", "context", "recover"])(
  "R1.1: a standard option is checked as any other: %s",
  async (name) => {
    await expectInvalidAtOne([{ url }, { url, options: { [name]: url + lone } }]);
  },
);

test("R1.1: an option whose key alone cannot be written makes its target malformed", async () => {
  await expectInvalidAtOne([{ url }, { url, options: { [url + lone]: 1 } }]);
});
