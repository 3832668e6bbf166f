import nodeAssert from "node:assert";
import { connect, createServer } from "node:net";
import { runInNewContext } from "node:vm";
import { assert as chaiAssert, describe, expect, test } from "vitest";
import { TargetError } from "../../src/index.js";
import { untilTerminal } from "../../src/testing/index.js";
import { logIntoMemory } from "../support/log-lines.js";
import { startRunner } from "../support/runner.js";

const SECRET = "https://host.secret.example/s3cret";

/** In a box, since a promise of a revoked proxy cannot be kept. */
interface Thrown {
  thrown: unknown;
}

/** What a job of two targets stores when the fetch of the first throws this value, and what its hook is given. */
async function outcomeOf(thrown: unknown) {
  const log = logIntoMemory();
  const hooked: unknown[] = [];
  let fetches = 0;
  const { runner, submit } = await startRunner({
    fetch(target) {
      fetches++;
      if (target.url === "bad") throw thrown;
      return { content: "" };
    },
    logger: log.logger,
    hooks: { target: (error) => hooked.push(error) },
  });
  const id = await submit("ann", "bad", "good");
  const job = await untilTerminal(runner, id);
  const report = await runner.status(id);
  const [bad, good] = report?.targets ?? [];
  const everything = JSON.stringify(report) + log.text();
  return { bad, good: good?.status, job: job?.status, fetches, hooked, everything };
}

async function caught(work: () => unknown): Promise<Thrown> {
  try {
    await work();
  } catch (thrown) {
    return { thrown };
  }
  throw new Error("nothing was thrown");
}

/** A port of the loopback that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  await caught(() => new Promise((_resolve, reject) => connect(port, "127.0.0.1").on("error", reject)));
  return port;
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function withThrowingGetters<T extends object>(value: T): T {
  const get = () => {
    throw new Error(SECRET);
  };
  for (const name of ["message", "name", "cause", "code", "errors", "hint", "constructor"]) {
    Object.defineProperty(value, name, { get });
  }
  return value;
}

const NO_ERRORS: [string, () => Thrown][] = [
  ["null", () => ({ thrown: null })],
  ["a string", () => ({ thrown: SECRET })],
  ["a number", () => ({ thrown: 0 })],
  ["a symbol", () => ({ thrown: Symbol(SECRET) })],
  ["a bigint", () => ({ thrown: 1n })],
  ["a function", () => ({ thrown: () => SECRET })],
  ["a plain object", () => ({ thrown: { message: SECRET, name: "Error", hint: SECRET } })],
  ["an object without prototype", () => ({ thrown: Object.assign(Object.create(null), { message: SECRET }) })],
  ["an object whose getters throw", () => ({ thrown: withThrowingGetters({}) })],
  ["a revoked proxy", () => ({ thrown: revokedProxy() })],
];

class ChaiLikeAssertionError extends Error {
  override readonly name = "AssertionError";
}

const BUGS: [string, () => Thrown | Promise<Thrown>][] = [
  ["a TypeError", () => ({ thrown: new TypeError(SECRET) })],
  ["a RangeError", () => ({ thrown: new RangeError(SECRET) })],
  ["a TypeError of another realm", () => ({ thrown: runInNewContext(`new TypeError(${JSON.stringify(SECRET)})`) })],
  ["a ReferenceError", () => ({ thrown: new ReferenceError(SECRET) })],
  ["what the runtime throws for undefined", () => caught(() => (undefined as unknown as { x: { y: 1 } }).x.y)],
  ["what the runtime throws for a missing name", () => caught(() => new Function("return s3cret")())],
  ["an AssertionError of node:assert", () => caught(() => nodeAssert.equal(1, 2, SECRET))],
  ["a bare AssertionError of node:assert", () => caught(() => nodeAssert(SECRET.length === 0))],
  ["an AssertionError of chai", () => caught(() => chaiAssert.fail(SECRET))],
  ["an error that is named AssertionError", () => ({ thrown: new ChaiLikeAssertionError(SECRET) })],
  [
    "an AssertionError with a cause",
    () => ({ thrown: new ChaiLikeAssertionError(SECRET, { cause: new Error(SECRET) }) }),
  ],
];

const ANSWERS: [string, () => Thrown | Promise<Thrown>, string][] = [
  ["an Error", () => ({ thrown: new Error("nope") }), "nope"],
  ["a TypeError with a cause", () => ({ thrown: new TypeError("nope", { cause: new Error("why") }) }), "nope"],
  ["a TypeError with a code", () => ({ thrown: Object.assign(new TypeError("nope"), { code: "ERR_X" }) }), "nope"],
  ["a RangeError with a cause", () => ({ thrown: new RangeError("nope", { cause: "why" }) }), "nope"],
  [
    "a ReferenceError with a code",
    () => ({ thrown: Object.assign(new ReferenceError("nope"), { code: "ERR_X" }) }),
    "nope",
  ],
  ["a SyntaxError", () => ({ thrown: new SyntaxError("nope") }), "nope"],
  ["a DOMException", () => ({ thrown: new DOMException("nope", "NetworkError") }), "nope"],
  [
    "the AbortError of somebody's own signal",
    () => ({ thrown: AbortSignal.abort().reason }),
    "This operation was aborted",
  ],
  ["an AggregateError", () => ({ thrown: new AggregateError([new TypeError("inner")], "nope") }), "nope"],
  ["an Error of another realm", () => ({ thrown: runInNewContext(`new Error("nope")`) }), "nope"],
  ["a frozen Error", () => ({ thrown: Object.freeze(new Error("nope")) }), "nope"],
  ["new URL() of no URL", () => caught(() => new URL("bad")), "Invalid URL"],
  ["Node's fetch from a closed port", () => failedFetch(), "fetch failed"],
  ["an Error that is its own cause", () => ({ thrown: ownCause() }), "nope"],
  ["an Error without a message", () => ({ thrown: new Error() }), ""],
];

async function failedFetch(): Promise<Thrown> {
  const port = await closedPort();
  return caught(() => fetch(`http://127.0.0.1:${port}/`));
}

function ownCause(): Error {
  const error = new Error("nope");
  error.cause = error;
  return error;
}

describe("R3: a fault is stored as `internal error`, its text neither stored nor logged, and the hook is given it as thrown", () => {
  test.each([...NO_ERRORS, ...BUGS])("%s", async (_name, make) => {
    const { thrown } = await make();
    const { bad, everything, hooked, ...rest } = await outcomeOf(thrown);
    const options = {};
    expect({ bad, ...rest }).toEqual({
      bad: { index: 0, url: "bad", options, status: "failed", error: "internal error", hint: "", attempts: 1 },
      good: "done",
      job: "partial",
      fetches: 2,
    });
    expect(everything).not.toMatch(/s3cret|secret\.example/);
    expect(Object.is(hooked[0], thrown)).toBe(true);
    expect(hooked.slice(1)).toEqual([undefined]);
  });

  test("undefined, for which the hook is given an Error", async () => {
    const { bad, hooked, job } = await outcomeOf(undefined);
    expect({ error: bad?.error, isError: hooked[0] instanceof Error, second: hooked[1], job }).toEqual({
      error: "internal error",
      isError: true,
      second: undefined,
      job: "partial",
    });
  });
});

describe("R3: any other error is stored with its message and no hint, and the hook is given it as thrown", () => {
  test.each(ANSWERS)("%s", async (_name, make, message) => {
    const { thrown } = await make();
    const { bad, everything: _, hooked, ...rest } = await outcomeOf(thrown);
    const options = {};
    expect({ bad, ...rest }).toEqual({
      bad: { index: 0, url: "bad", options, status: "failed", error: message, hint: "", attempts: 1 },
      good: "done",
      job: "partial",
      fetches: 2,
    });
    expect(hooked[0]).toBe(thrown);
  });
});

describe("R3: a TargetError is stored with its message and its hint", () => {
  test.each([
    ["with both", new TargetError("gone", { status: 404, hint: "try the archive" }), "gone", "try the archive"],
    ["without a hint", new TargetError("gone"), "gone", ""],
    ["with a cause", new TargetError("gone", { hint: "h", cause: new TypeError("bug") }), "gone", "h"],
  ])("%s", async (_name, thrown, error, hint) => {
    const { bad, hooked } = await outcomeOf(thrown);
    expect({ status: bad?.status, error: bad?.error, hint: bad?.hint }).toEqual({ status: "failed", error, hint });
    expect(hooked[0]).toBe(thrown);
  });
});

test("R3: an error whose every property throws fails its target and harms nothing else", async () => {
  const hostile = withThrowingGetters(new Error());
  const { bad, good, job, hooked } = await outcomeOf(hostile);
  expect({ status: bad?.status, good, job }).toEqual({ status: "failed", good: "done", job: "partial" });
  expect(Object.is(hooked[0], hostile)).toBe(true);
});
