import { expect, test } from "vitest";
import { createBatchRunner, openSqliteStore, RetryLaterError } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { startOnManualClock } from "../support/runner.js";

const WINDOW = { retryWaitMs: 1_000, retryForMs: 2_500 };

async function startWindow() {
  const held = heldFetch();
  const hooked: unknown[] = [];
  const { clock, runner, submit } = await startOnManualClock({
    fetch: held.fetch,
    ...WINDOW,
    hooks: { target: (error) => hooked.push(error) },
  });
  /** Answers the next call with `retry later` and resolves to the state of that target. */
  const later = async (id: string, error: unknown = new RetryLaterError()) => {
    const call = await held.next();
    call.fail(error);
    await settled();
    return (await runner.status(id))?.targets[call.context.index];
  };
  return { runner, clock, held, hooked, submit, later };
}

test("R3: a target that answers so for longer than `retryForMs` fails with the message of the error thrown last", async () => {
  const { clock, hooked, submit, later } = await startWindow();
  const id = await submit("ann", "a", "b");
  const states: unknown[] = [];
  for (const ms of [1_000, 1_000, 500, 1]) {
    states.push((await later(id))?.status);
    clock.jump(ms);
    await settled();
  }
  const last = new Error("site is busy", { cause: new RetryLaterError("slow down") });
  const target = await later(id, last);
  expect({ states, target }).toEqual({
    states: ["pending", "pending", "pending", "pending"],
    target: { index: 0, url: "a", options: {}, status: "failed", error: "site is busy", hint: "", attempts: 5 },
  });
  expect(hooked).toEqual([last]);
  expect(hooked[0]).toBe(last);
});

test("R3: the window runs from the first such answer, not from the start of the fetch", async () => {
  const { clock, held, submit, later } = await startWindow();
  const id = await submit("ann", "a");
  await settled();
  expect(held.waiting).toBe(1);
  clock.jump(1_000_000);
  expect((await later(id))?.status).toBe("pending");
  clock.jump(1_000);
  expect((await later(id))?.status).toBe("pending");
});

test("R3: the window is each target's own", async () => {
  const { clock, held, submit, later } = await startWindow();
  const id = await submit("ann", "a", "b");
  await later(id);
  clock.jump(1_000);
  await later(id);
  clock.jump(1_000);
  (await held.next()).succeed();
  await settled();
  expect((await later(id))?.status).toBe("pending");
  clock.jump(1_000);
  expect((await later(id))?.status).toBe("pending");
});

test("R3: a long fetch that answers so after the end of the window fails", async () => {
  const { clock, submit, held, later } = await startWindow();
  const id = await submit("ann", "a");
  await later(id);
  clock.jump(1_000);
  await settled();
  expect(held.waiting).toBe(1);
  clock.jump(1_501);
  expect((await later(id, new RetryLaterError("still busy")))?.error).toBe("still busy");
});

test("R3: the window and the waits run on monotonic time: wall time may step back or forward", async () => {
  const { clock, submit, later } = await startWindow();
  const id = await submit("ann", "a");
  await later(id);
  clock.wallMs += 3_600_000;
  expect(clock.waits).toEqual([1_000]);
  clock.jump(1_000);
  expect((await later(id))?.status).toBe("pending");
  clock.wallMs -= 7_200_000;
  clock.jump(1_000);
  expect((await later(id))?.status).toBe("pending");
  clock.jump(500);
  expect((await later(id))?.status).toBe("pending");
  clock.jump(1);
  expect((await later(id))?.status).toBe("failed");
});

test("R3: on the machine's own clock the window ends by itself, without a storm of attempts near its end", async () => {
  const store = await openSqliteStore(":memory:");
  let attempts = 0;
  const fetch = () => {
    attempts++;
    throw new RetryLaterError("busy");
  };
  const runner = await createBatchRunner({ store, fetch, retryWaitMs: 10, retryForMs: 50 });
  const { id } = await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [{ url: "a" }] });
  const job = await untilTerminal(runner, id);
  const error = (await runner.status(id))?.targets[0]?.error;
  await runner.close();
  await store.close();
  expect({ status: job?.status, error }).toEqual({ status: "failed", error: "busy" });
  expect(attempts).toBeGreaterThan(1);
  expect(attempts).toBeLessThan(12);
});
