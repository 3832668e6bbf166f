import { describe, expect, test } from "vitest";
import type { Result } from "../../src/index.js";
import { untilTerminal } from "../../src/testing/index.js";
import { startOnManualClock, startRunner } from "../support/runner.js";

/** What a job of two targets stores when the first is answered so, and how often its hook and its fetch were called. */
async function outcomeOf(make: () => unknown) {
  const hooked: { error: unknown; bytes: number }[] = [];
  let fetches = 0;
  const { runner, submit } = await startRunner({
    fetch(target) {
      if (target.url === "good") return { content: "" };
      fetches++;
      return make() as Result;
    },
    hooks: { target: (error, _durationMs, bytes) => hooked.push({ error, bytes }) },
  });
  const id = await submit("ann", "odd", "good");
  await untilTerminal(runner, id);
  const [odd, good] = (await runner.status(id))?.targets ?? [];
  return { odd, good: good?.status, fetches, hook: hooked[0], hooks: hooked.length };
}

function cyclic(): object {
  const result: Record<string, unknown> = { content: "" };
  result.meta = { result };
  return result;
}

const throwing = () => {
  throw new Error("https://secret.example");
};

const INVALID: [string, () => unknown][] = [
  ["undefined", () => undefined],
  ["null", () => null],
  ["a number", () => 5],
  ["a string", () => "{}"],
  ["a boolean", () => true],
  ["a symbol", () => Symbol("x")],
  ["a function", () => () => ({ content: "" })],
  ["a cycle", cyclic],
  ["a bigint inside", () => ({ content: "", meta: { size: 1n } })],
  ["a throwing toJSON", () => ({ content: "", toJSON: throwing })],
  ["a toJSON that returns a number", () => ({ content: "", toJSON: () => 5 })],
  ["a toJSON that returns a string", () => ({ content: "", toJSON: () => "{}" })],
  ["a toJSON that returns undefined", () => ({ content: "", toJSON: () => undefined })],
  ["a toJSON that returns null", () => ({ content: "", toJSON: () => null })],
  ["a Date, which JSON writes as a string", () => new Date(0)],
  ["a throwing getter", () => Object.defineProperty({}, "content", { get: throwing, enumerable: true })],
  ["a proxy that refuses", () => new Proxy({}, { ownKeys: throwing })],
];

describe("R3: a result that is no object, or that JSON cannot hold, fails as `invalid result`, and is not fetched again", () => {
  test.each(INVALID)("%s", async (_name, make) => {
    const { hook, ...rest } = await outcomeOf(make);
    const odd = { index: 0, url: "odd", options: {}, status: "failed", error: "invalid result", hint: "", attempts: 1 };
    expect(rest).toEqual({ odd, good: "done", fetches: 1, hooks: 2 });
    expect([hook?.error instanceof Error, hook?.bytes]).toEqual([true, 0]);
  });
});

class Page {
  content = "page";
}

const VALID: [string, () => unknown, unknown][] = [
  ["a content", () => ({ content: "text", meta: { status: 200 } }), { content: "text", meta: { status: 200 } }],
  ["no content at all", () => ({}), {}],
  ["an instance of a class", () => new Page(), { content: "page" }],
  ["an object without prototype", () => Object.assign(Object.create(null), { content: "x" }), { content: "x" }],
  ["a Buffer", () => Buffer.from([1, 2]), { type: "Buffer", data: [1, 2] }],
  ["a Map", () => new Map([["a", 1]]), {}],
  ["an array", () => [1, "two"], [1, "two"]],
  ["a NUL in the content", () => ({ content: "a\0b" }), { content: "a\0b" }],
  ["lone surrogates in the content", () => ({ content: "a\ud800b\udc00" }), { content: "a\ud800b\udc00" }],
  ["text beyond ASCII", () => ({ content: "é€😀\u2028" }), { content: "é€😀\u2028" }],
  ["a toJSON that returns an object", () => ({ toJSON: () => ({ content: "json" }) }), { content: "json" }],
  [
    "values that JSON leaves out",
    () => ({ content: "x", meta: { f: () => 1, u: undefined, n: Number.NaN } }),
    { content: "x", meta: { n: null } },
  ],
];

describe("R3: any other object is stored as its JSON, and the hook is told the UTF-8 bytes of that", () => {
  test.each(VALID)("%s", async (_name, make, result) => {
    const bytes = Buffer.byteLength(JSON.stringify(make()));
    expect(await outcomeOf(make)).toEqual({
      odd: { index: 0, url: "odd", options: {}, status: "done", result, error: "", hint: "", attempts: 1 },
      good: "done",
      fetches: 1,
      hook: { error: undefined, bytes },
      hooks: 2,
    });
  });
});

test("R3: the JSON of a result is made once", async () => {
  let times = 0;
  await outcomeOf(() => ({
    toJSON() {
      times++;
      return { content: "" };
    },
  }));
  expect(times).toBe(1);
});

test("R3: the hook is told how long the fetch took, on monotonic time, for a success and for a failure", async () => {
  const hooked: unknown[] = [];
  const nope = new Error("nope");
  const { clock, runner, submit } = await startOnManualClock({
    async fetch(target) {
      clock.monotonicMs += 1_234.5;
      clock.wallMs -= 99_999;
      if (target.url === "bad") throw nope;
      return { content: "" };
    },
    hooks: { target: (...told) => hooked.push(told) },
  });
  await untilTerminal(runner, await submit("ann", "good", "bad"));
  expect(hooked).toEqual([
    [undefined, 1_234.5, 14],
    [nope, 1_234.5, 0],
  ]);
});
