import { expect, test } from "vitest";
import { openSqliteStore } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { CountingClock } from "../support/machine-actors.js";
import { startRunner } from "../support/runner.js";
import { storeWith } from "../support/store-with.js";
import { StoreTrouble } from "../support/troubled-store.js";

const RETRY_WAIT_MS = 1_000;

/** A runner whose store answers a settle when it is told to, and a job whose target waits for one that was refused too long. */
async function closedWhileSettling() {
  const real = await openSqliteStore(":memory:");
  const settles: { resolve(): void; reject(error: Error): void }[] = [];
  const settle: typeof real.settle = (request) =>
    new Promise((resolve, reject) => settles.push({ resolve: () => resolve(real.settle(request)), reject }));
  const clock = new CountingClock();
  const { runner, submit, lines } = await startRunner({
    store: storeWith(real, { settle }),
    clock,
    fetch: ({ url }) => ({ content: url }),
    retryWaitMs: RETRY_WAIT_MS,
    retryForMs: 1,
    targetTimeoutMs: 60_000,
  });
  const id = await submit("ann", "u:1");
  await settled();
  settles[0]!.reject(new StoreTrouble());
  await settled();
  clock.increment(RETRY_WAIT_MS);
  await settled();
  const closed = runner.close({ timeoutMs: 1 });
  clock.increment(1);
  await closed;
  return { runner, real, clock, id, lines, late: settles[1]! };
}

test("R8: a write that the store refuses after `close()` has given it up sets no timer and tells no hook", async () => {
  const { clock, lines, late } = await closedWhileSettling();
  const told = [...lines];
  late.reject(new StoreTrouble());
  await settled();
  expect({ timers: clock.pending, told: lines }).toEqual({ timers: 0, told });
});

test("R8: a write that the store takes after `close()` has given it up sets no timer and tells no hook", async () => {
  const { clock, lines, late, real, id } = await closedWhileSettling();
  const told = [...lines];
  late.resolve();
  await settled();
  expect({ timers: clock.pending, told: lines, status: (await real.findJob(id))?.status }).toEqual({
    timers: 0,
    told,
    status: "done",
  });
});
