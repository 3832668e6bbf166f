import { expect, test } from "vitest";
import { batchOf, expectNoSecret, fieldsOf, rejection, SECRET_URL, submitRaw } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";

const fetch = () => ({ content: "" });
const good = { url: "https://a.example/" };
const malformed = { url: 1 };
const aborted = AbortSignal.abort(new Error("no longer wanted"));

const thrower = (): never => {
  throw new Error(SECRET_URL);
};

test.each<[string, unknown]>([
  ["no batch", undefined],
  ["null for a batch", null],
  ["no caller", { callerClass: "", targets: [good] }],
  ["null for a caller", batchOf([good], { caller: null })],
  ["a caller without a name", batchOf([good], { caller: {} })],
  ["a number for a name", batchOf([good], { caller: { name: 7 } })],
  ["null for a name", batchOf([good], { caller: { name: null } })],
  ["a boxed string for a name", batchOf([good], { caller: { name: Object("alice") } })],
  ["a symbol for a name", batchOf([good], { caller: { name: Symbol(SECRET_URL) } })],
  ["a name that is a high surrogate", batchOf([good], { caller: { name: "\ud83e" } })],
  ["a name that ends in a high surrogate", batchOf([good], { caller: { name: `${SECRET_URL}\ud83e` } })],
  ["a name with a low surrogate inside", batchOf([good], { caller: { name: "a\udd8ab" } })],
  ["a name with a pair the wrong way round", batchOf([good], { caller: { name: "\udd8a\ud83e" } })],
  ["a caller that throws", Object.defineProperty(batchOf([good]), "caller", { get: thrower })],
  ["a name that throws", batchOf([good], { caller: Object.defineProperty({}, "name", { get: thrower }) })],
  ["a number for a class", batchOf([good], { callerClass: 7 })],
  ["a class with a lone surrogate", batchOf([good], { callerClass: "\ud83e" })],
  ["a number for a key", batchOf([good], { idempotencyKey: 7 })],
  ["a key with a lone surrogate", batchOf([good], { idempotencyKey: "k\udd8a" })],
])("R1.1: %s is a TypeError that repeats nothing of it, and nothing is stored", async (_name, batch) => {
  const { runner, store, lines } = await startRunner({ fetch });
  const error = await rejection(submitRaw(runner, batch));
  expect(error).toBeInstanceOf(TypeError);
  expectNoSecret(error);
  expect({ jobs: await store.list(), lines }).toEqual({ jobs: [], lines: [] });
});

const revoked = (target: object): unknown => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};

test.each<[string, unknown]>([
  ["an empty array", []],
  ["nothing", undefined],
  ["null", null],
  ["a string", SECRET_URL],
  ["an object like an array", { length: 1, 0: good }],
  ["a Set", new Set([good])],
  ["a Map", new Map([[0, good]])],
  ["an iterator", [good].values()],
  ["a typed array", new Uint8Array(1)],
  ["a function", () => [good]],
  ["a revoked proxy of an array", revoked([good])],
])("R1.1: %s in the place of targets is ERR_NO_TARGETS, and nothing is stored", async (_name, targets) => {
  const { runner, store, lines } = await startRunner({ fetch });
  const error = await rejection(submitRaw(runner, batchOf(targets)));
  expect(fieldsOf(error)).toEqual({ code: "ERR_NO_TARGETS", message: "no targets" });
  expect({ jobs: await store.list(), lines }).toEqual({ jobs: [], lines: [] });
});

test("R1.1: a targets property that throws is ERR_NO_TARGETS, and its text is not repeated", async () => {
  const { runner } = await startRunner({ fetch });
  const error = await rejection(
    submitRaw(runner, Object.defineProperty(batchOf(undefined), "targets", { get: thrower })),
  );
  expect(fieldsOf(error)).toEqual({ code: "ERR_NO_TARGETS", message: "no targets" });
  expectNoSecret(error);
});

test("R1.1: an array whose length throws is refused in our own words", async () => {
  const { runner, store } = await startRunner({ fetch });
  const targets = new Proxy([good], { get: thrower });
  const error = await rejection(submitRaw(runner, batchOf(targets)));
  expect(fieldsOf(error)).toHaveProperty("code", expect.stringMatching(/^ERR_(NO_TARGETS|INVALID_TARGET)$/));
  expectNoSecret(error);
  expect(await store.list()).toEqual([]);
});

test.each<[string, (read: number) => unknown]>([
  ["shrinks between two reads", (read) => (read === 0 ? 1 : 0)],
  ["says -1", () => -1],
  ["says NaN", () => Number.NaN],
  ['says "0"', () => "0"],
  ["says null", () => null],
  ["says it is an object", () => ({})],
])("R1.1: an array whose length %s never becomes a job without targets", async (_name, lengthAt) => {
  const { runner, store } = await startRunner({ fetch });
  let reads = 0;
  const get = (array: object, key: string | symbol) => (key === "length" ? lengthAt(reads++) : Reflect.get(array, key));
  await submitRaw(runner, batchOf(new Proxy([good], { get }))).catch(() => {});
  expect((await store.list()).filter((job) => job.targetsTotal === 0)).toEqual([]);
});

test.each<[string, string, object]>([
  ["a closed runner comes before a bad name", "ERR_CLOSED", batchOf([], { caller: { name: 7 }, signal: aborted })],
  ["a bad name comes before no targets", "TypeError", batchOf([], { caller: { name: 7 } })],
  ["a bad name comes before a malformed target", "TypeError", batchOf([malformed], { caller: { name: 7 } })],
  ["a bad name comes before an aborted signal", "TypeError", batchOf([good], { caller: { name: 7 }, signal: aborted })],
  ["no targets come before an aborted signal", "ERR_NO_TARGETS", batchOf([], { signal: aborted })],
  ["no targets come before a known key", "ERR_NO_TARGETS", batchOf([], { idempotencyKey: "known" })],
  [
    "a malformed target comes before an aborted signal",
    "ERR_INVALID_TARGET",
    batchOf([malformed], { signal: aborted }),
  ],
  [
    "a malformed target comes before a known key",
    "ERR_INVALID_TARGET",
    batchOf([malformed], { idempotencyKey: "known" }),
  ],
  ["a malformed target comes before the caps", "ERR_INVALID_TARGET", batchOf([good, good, malformed])],
  [
    "an aborted signal comes before a known key",
    "no longer wanted",
    batchOf([good], { idempotencyKey: "known", signal: aborted }),
  ],
  ["an aborted signal comes before the caps", "no longer wanted", batchOf([good, good, good], { signal: aborted })],
])("R1.1: %s", async (name, expected, batch) => {
  const { runner } = await startRunner({ fetch, targetsPerJob: 2 });
  await submitRaw(runner, batchOf([good], { idempotencyKey: "known" }));
  if (name.startsWith("a closed runner")) await runner.close();
  const error = (await rejection(submitRaw(runner, batch))) as Error & { code?: string };
  expect([error.code, error.name, error.message]).toContain(expected);
});
