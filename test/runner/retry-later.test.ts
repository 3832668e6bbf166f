import { describe, expect, test } from "vitest";
import { RetryLaterError, TargetError } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { startOnManualClock, startRunner } from "../support/runner.js";

test("R3: a target to be retried later is pending again, without a `target` hook, and is fetched after `retryWaitMs`", async () => {
  const held = heldFetch();
  const { runner, clock, lines, submit } = await startRunner({ fetch: held.fetch, retryWaitMs: 700 });
  const id = await submit("ann", "a");
  (await held.next()).fail(new RetryLaterError());
  await settled();
  const waiting = await runner.status(id);
  expect({ lines, job: waiting?.job.status, target: waiting?.targets[0] }).toEqual({
    lines: ["depth 1", "job created", "inflight 1", "inflight 0"],
    job: "running",
    target: { index: 0, url: "a", options: {}, status: "pending", error: "", hint: "", attempts: 1 },
  });

  clock.increment(699);
  await settled();
  expect(held.urls).toEqual(["a"]);
  clock.increment(1);
  (await held.next()).succeed({ content: "" });
  await untilTerminal(runner, id);
  await settled();
  expect(lines.slice(4)).toEqual(["inflight 1", "inflight 0", "depth 0", "target ok 14", "job done", "jobSeconds"]);
});

test("R3: the worker goes on with the rotation while a target waits, and the job stays serial", async () => {
  const held = heldFetch();
  const { clock, submit } = await startRunner({ fetch: held.fetch });
  await submit("ann", "a1", "a2");
  await submit("bob", "b1", "b2", "b3");
  (await held.next()).fail(new RetryLaterError());
  (await held.next()).succeed();
  (await held.next()).succeed();
  const b3 = await held.next();
  clock.increment(2_000);
  b3.succeed();
  (await held.next()).succeed();
  (await held.next()).succeed();
  await settled();
  expect(held.urls).toEqual(["a1", "b1", "b2", "b3", "a1", "a2"]);
});

describe("R3: the wait is the error's own `afterMs` where that is a number of 0 or more, and ends with the window", () => {
  test.each<[unknown, number]>([
    [undefined, 2_000],
    [500, 500],
    [0.5, 0.5],
    [0, 0],
    [-0, 0],
    [7_000, 7_000],
    [10_000, 10_000],
    [10_001, 10_000],
    [1e300, 10_000],
    [Number.POSITIVE_INFINITY, 10_000],
    [Number.NEGATIVE_INFINITY, 2_000],
    [Number.NaN, 2_000],
    [-1, 2_000],
    ["9", 2_000],
    [null, 2_000],
    [7n, 2_000],
    [{}, 2_000],
  ])("afterMs %s waits %s ms", async (afterMs, expected) => {
    const held = heldFetch();
    const { clock, submit } = await startOnManualClock({ fetch: held.fetch, retryForMs: 10_000 });
    await submit("ann", "a");
    (await held.next()).fail(new RetryLaterError("later", { afterMs: afterMs as number }));
    await settled();
    expect(clock.waits).toEqual([expected]);
    clock.jump(expected);
    (await held.next()).succeed();
    await settled();
    expect(held.urls).toEqual(["a", "a"]);
  });
});

test("R3: the wait is `retryWaitMs` where that fits, else what is left of the window", async () => {
  const held = heldFetch();
  const { clock, submit } = await startOnManualClock({ fetch: held.fetch, retryWaitMs: 400, retryForMs: 1_000 });
  await submit("ann", "a");
  const waits: (number | undefined)[] = [];
  for (let time = 0; time < 3; time++) {
    (await held.next()).fail(new RetryLaterError());
    await settled();
    waits.push(...clock.waits);
    clock.jump(clock.waits[0] ?? 0);
  }
  expect(waits).toEqual([400, 400, 200]);
  (await held.next()).succeed();
  await settled();
});

function deepCause(depth: number, innermost: unknown): Error {
  let error = innermost;
  for (let level = 0; level < depth; level++) error = new Error("outer", { cause: error });
  return error as Error;
}

function crowded(count: number): Error {
  const same = new Error("same");
  return new Error("outer", { cause: new AggregateError([...Array(count).fill(same), new RetryLaterError()]) });
}

function deepAggregate(depth: number, innermost: unknown): Error {
  let error = innermost;
  for (let level = 0; level < depth; level++) error = new AggregateError([new Error("first"), error], "outer");
  return error as Error;
}

function cycle(end: unknown): Error {
  const first = new Error("outer");
  const second = new AggregateError([first, end], "second", { cause: first });
  first.cause = second;
  return first;
}

class HttpBusyError extends RetryLaterError {}

const LATER: [string, () => unknown][] = [
  ["itself", () => new RetryLaterError()],
  ["a subclass", () => new HttpBusyError()],
  ["a cause", () => new Error("outer", { cause: new RetryLaterError() })],
  ["a cause 50 deep", () => deepCause(50, new RetryLaterError())],
  ["a cause 5,000 deep", () => deepCause(5_000, new RetryLaterError())],
  ["behind 50,000 times the same error", () => crowded(50_000)],
  ["the cause of a TargetError", () => new TargetError("outer", { cause: new RetryLaterError() })],
  [
    "the cause of a TypeError, as Node's fetch wraps it",
    () => new TypeError("outer", { cause: new RetryLaterError() }),
  ],
  ["among an AggregateError's errors", () => new AggregateError([new Error("x"), new RetryLaterError()])],
  ["in an AggregateError ten deep", () => deepAggregate(10, new RetryLaterError())],
  ["a cause within an AggregateError", () => new AggregateError([deepCause(3, new RetryLaterError())])],
  ["beyond a cycle", () => cycle(new RetryLaterError())],
  [
    "beside a fault that an AggregateError gathers",
    () => new AggregateError([new TypeError("x"), new RetryLaterError()]),
  ],
];

const NOT_LATER: [string, () => unknown, string][] = [
  ["a cycle without one", () => cycle(new Error("end")), "outer"],
  ["an error that only bears the name", () => Object.assign(new Error("outer"), { name: "RetryLaterError" }), "outer"],
  [
    "an AggregateError whose errors are no array",
    () => Object.assign(new AggregateError([], "outer"), { errors: 1 }),
    "outer",
  ],
  [
    "a fault at once: an AssertionError caused by one",
    () => named("AssertionError", new RetryLaterError()),
    "internal error",
  ],
  ["a fault at once: an object that is no Error", () => ({ cause: new RetryLaterError() }), "internal error"],
  ["a fault at once: a bare TypeError that gathers one", () => gathering(new TypeError("x")), "internal error"],
];

function named(name: string, cause: unknown): Error {
  return Object.assign(new Error("outer", { cause }), { name });
}

function gathering(error: Error): Error {
  return Object.assign(error, { errors: [new RetryLaterError()] });
}

describe("R3: a RetryLaterError is found wherever it is", () => {
  test.each(LATER)("%s", async (_name, make) => {
    const held = heldFetch();
    const { runner, submit } = await startRunner({ fetch: held.fetch });
    const id = await submit("ann", "a");
    (await held.next()).fail(make());
    await settled();
    const report = await runner.status(id);
    expect([report?.job.status, report?.targets[0]?.status, report?.targets[0]?.error]).toEqual([
      "running",
      "pending",
      "",
    ]);
  });
});

describe("R3: what holds no RetryLaterError, or is a fault too, is not tried again", () => {
  test.each(NOT_LATER)("%s", async (_name, make, message) => {
    const held = heldFetch();
    const { runner, submit } = await startRunner({ fetch: held.fetch });
    const id = await submit("ann", "a");
    (await held.next()).fail(make());
    await untilTerminal(runner, id);
    const target = (await runner.status(id))?.targets[0];
    expect([target?.status, target?.error]).toEqual(["failed", message]);
  });
});

test("R3: the `afterMs` of a RetryLaterError within a chain counts", async () => {
  const held = heldFetch();
  const { clock, submit } = await startOnManualClock({ fetch: held.fetch });
  await submit("ann", "a");
  (await held.next()).fail(deepCause(3, new RetryLaterError("later", { afterMs: 123 })));
  await settled();
  expect(clock.waits).toEqual([123]);
});
