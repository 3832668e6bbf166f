import { expect, test } from "vitest";
import { RetryLaterError, type Target } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";

type DeepOptions = { mode?: string; deep?: { list: number[] } };

test("R3: a fetch is told its caller, its job, its index and its attempt, and given a signal", async () => {
  const held = heldFetch();
  const { runner } = await startRunner({ fetch: held.fetch });
  const caller = { name: "ann", workspace: "w", keySha256: "k" };
  const { id } = await runner.submit({
    caller,
    callerClass: "gold",
    targets: [{ url: "a", options: { mode: "text" } }, { url: "b" }],
  });
  const first = await held.next();
  first.succeed();
  const second = await held.next();

  expect([first, second].map(({ target, context: { signal: _, ...context } }) => ({ target, context }))).toEqual([
    { target: { url: "a", options: { mode: "text" } }, context: { caller, jobId: id, index: 0, attempt: 1 } },
    { target: { url: "b", options: {} }, context: { caller, jobId: id, index: 1, attempt: 1 } },
  ]);
  expect(first.context.caller).toBe(caller);
  expect(second.context.caller).toBe(caller);
  expect(second.context.signal).toBeInstanceOf(AbortSignal);
  expect(second.context.signal).not.toBe(first.context.signal);
  expect([first.context.signal.aborted, second.context.signal.aborted]).toEqual([false, false]);
});

test("R3: two jobs of equal callers are each given the very caller that submitted them", async () => {
  const held = heldFetch();
  const { runner } = await startRunner({ fetch: held.fetch });
  const callers = [{ name: "ann" }, { name: "ann" }];
  for (const [number, caller] of callers.entries()) {
    await runner.submit({ caller, callerClass: "", targets: [{ url: `u${number}` }] });
  }
  const first = await held.next();
  first.succeed();
  const second = await held.next();
  expect(first.context.caller).toBe(callers[0]);
  expect(second.context.caller).toBe(callers[1]);
});

test("R3: `attempt` counts from 1 and is kept in the row", async () => {
  const held = heldFetch();
  const { runner, clock, submit } = await startRunner({ fetch: held.fetch });
  const id = await submit("ann", "a");
  const attempts: number[] = [];
  for (let time = 0; time < 3; time++) {
    const call = await held.next();
    attempts.push(call.context.attempt);
    if (time === 2) call.succeed();
    else call.fail(new RetryLaterError());
    await settled();
    clock.increment(2_000);
  }
  const report = await runner.status(id);
  expect({ attempts, stored: report?.targets[0]?.attempts }).toEqual({ attempts: [1, 2, 3], stored: 3 });
});

test("R3: each attempt gets its own copy of the target as submitted", async () => {
  const seen: unknown[] = [];
  const { runner, clock } = await startRunner({
    fetch(target) {
      seen.push(structuredClone(target));
      const { options } = target as Target<DeepOptions>;
      target.url = "changed";
      options?.deep?.list.push(9);
      if (options !== undefined) options.mode = "changed";
      if (seen.length < 3) throw new RetryLaterError();
      return { content: "" };
    },
  });
  const options: DeepOptions = { mode: "text", deep: { list: [1] } };
  const submitted = { url: "a", options };
  const { id } = await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [submitted] });
  submitted.url = "changed by the caller";
  options.deep?.list.push(8);
  for (let time = 0; time < 2; time++) {
    await settled();
    clock.increment(2_000);
  }
  await untilTerminal(runner, id);

  const target = { url: "a", options: { mode: "text", deep: { list: [1] } } };
  expect(seen).toEqual([target, target, target]);
  expect((await runner.status(id))?.targets[0]).toMatchObject({ ...target, status: "done" });
});

test("R3: a fetch may answer at once, with a promise, or with any thenable", async () => {
  const answers = {
    once: { content: "once" },
    promise: Promise.resolve({ content: "promise" }),
    // biome-ignore lint/suspicious/noThenProperty: what some promise libraries hand out
    thenable: { then: (resolve: (value: unknown) => void) => resolve({ content: "thenable" }) },
  };
  const { runner, submit } = await startRunner({
    fetch: (target) => answers[target.url as keyof typeof answers] as Promise<{ content: string }>,
  });
  const id = await submit("ann", "once", "promise", "thenable");
  await untilTerminal(runner, id);
  const contents = (await runner.status(id))?.targets.map((target) => target.result?.content);
  expect(contents).toEqual(["once", "promise", "thenable"]);
});
