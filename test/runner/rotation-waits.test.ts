import { expect, test } from "vitest";
import { RetryLaterError } from "../../src/index.js";
import { type HeldFetch, heldFetch, settled } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";

const urls = (job: string, count: number) => Array.from({ length: count }, (_, index) => `${job}${index + 1}`);

async function start(...jobs: [name: string, targets: number][]) {
  const held = heldFetch();
  const { runner, clock, submit } = await startRunner({ fetch: held.fetch, retryWaitMs: 2_000 });
  const ids: string[] = [];
  for (const [name, count] of jobs) ids.push(await submit(name, ...urls(name, count)));
  return { held, runner, clock, ids };
}

async function succeed(held: HeldFetch, count: number): Promise<void> {
  for (let call = 0; call < count; call++) (await held.next()).succeed();
}

async function later(held: HeldFetch, afterMs?: number): Promise<void> {
  (await held.next()).fail(new RetryLaterError("later", afterMs === undefined ? {} : { afterMs }));
}

test("R2: a job that waits is skipped, and rejoins at its place in submit order", async () => {
  const { held, clock } = await start(["a", 3], ["b", 3], ["c", 3]);
  await later(held);
  await succeed(held, 2);
  const b2 = await held.next();
  clock.increment(2_000);
  b2.succeed();
  await succeed(held, 6);
  expect(held.urls).toEqual(["a1", "b1", "c1", "b2", "c2", "a1", "b3", "c3", "a2", "a3"]);
});

test("R2: jobs whose waits end while the worker is busy go by submit order, not by the end of their waits", async () => {
  const { held, clock } = await start(["a", 1], ["b", 1], ["c", 2]);
  await later(held, 3_000);
  await later(held, 1_000);
  const c1 = await held.next();
  clock.increment(1_000);
  clock.increment(2_000);
  c1.succeed();
  await succeed(held, 3);
  expect(held.urls).toEqual(["a1", "b1", "c1", "a1", "b1", "c2"]);
});

test("R2: where every job waits the worker is idle, until the first wait is over", async () => {
  const { held, clock } = await start(["a", 1], ["b", 1]);
  await later(held, 3_000);
  await later(held, 1_000);
  await settled();
  clock.increment(999);
  await settled();
  expect(held.urls).toEqual(["a1", "b1"]);
  clock.increment(1);
  await succeed(held, 1);
  await settled();
  expect(held.urls).toEqual(["a1", "b1", "b1"]);
  clock.increment(2_000);
  await succeed(held, 1);
  expect(held.urls).toEqual(["a1", "b1", "b1", "a1"]);
});

test("R2: a new job starts at once while all others wait", async () => {
  const { held, runner, ids } = await start(["a", 1]);
  await later(held);
  await settled();
  await runner.submit({ caller: { name: "b" }, callerClass: "", targets: [{ url: "b1" }] });
  await succeed(held, 1);
  expect(held.urls).toEqual(["a1", "b1"]);
  const report = await runner.status(ids[0] as string);
  expect([report?.job.status, report?.targets[0]?.status]).toEqual(["running", "pending"]);
});
