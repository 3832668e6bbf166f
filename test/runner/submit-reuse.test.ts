import { describe, expect, test } from "vitest";
import { type BatchRunner, type JobStatus, TargetError } from "../../src/index.js";
import { type HeldCall, type HeldFetch, heldFetch, untilTerminal } from "../../src/testing/index.js";
import { batchOf } from "../support/raw-submit.js";
import { type RunnerUnderTest, startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

const TTL_MS = 10_000;
const batch = batchOf([{ url: "u:1" }, { url: "u:2" }]);

interface Started extends RunnerUnderTest {
  held: HeldFetch;
  leaseOf(id: string): unknown;
}

async function start(ttlMs = TTL_MS): Promise<Started> {
  const { store, raw } = await openStoreFile();
  const held = heldFetch();
  const started = await startRunner({ store, fetch: held.fetch, ttlMs });
  return {
    ...started,
    held,
    leaseOf: (id) => raw.prepare("select lease from batch_job where id = ?").pluck().get(id),
  };
}

async function submitAndEnd({ runner, held }: Started, ...answers: ((call: HeldCall) => void)[]): Promise<string> {
  const { id } = await runner.submit(batch);
  for (const answer of answers) answer(await held.next());
  await untilTerminal(runner, id);
  return id;
}

const succeed = (call: HeldCall) => call.succeed();
const fail = (call: HeldCall) => call.fail(new TargetError("nope"));

/** Brings a job into each status it can have. */
const reach: Record<JobStatus, (started: Started) => Promise<string>> = {
  async queued({ runner, held, submit }) {
    await submit("bob", "u:0");
    await held.next();
    return (await runner.submit(batch)).id;
  },
  async running({ runner, held }) {
    const { id } = await runner.submit(batch);
    await held.next();
    return id;
  },
  done: (started) => submitAndEnd(started, succeed, succeed),
  partial: (started) => submitAndEnd(started, succeed, fail),
  failed: (started) => submitAndEnd(started, fail, fail),
  async cancelled({ runner }) {
    const { id } = await runner.submit(batch);
    await runner.cancel(id);
    return id;
  },
};

const statusOf = async (runner: BatchRunner, id: string) => (await runner.status(id))?.job.status;

describe.each(["queued", "running", "done", "partial"] as const)("R1.2: a job that is %s", (status) => {
  test.each([0, 1, TTL_MS - 1, TTL_MS, TTL_MS + 999])(
    "is reused %i ms after its lease of a TTL of 10 s",
    async (ms) => {
      const started = await start();
      const id = await reach[status](started);
      expect(await statusOf(started.runner, id)).toBe(status);
      started.clock.increment(ms);
      started.lines.length = 0;
      expect(await started.runner.submit(batch)).toEqual({ id, reused: true });
      expect({ lines: started.lines, lease: started.leaseOf(id) }).toEqual({ lines: ["job reused"], lease: 0 });
    },
  );

  test.each([TTL_MS + 1_000, TTL_MS * 100])("is not reused %i ms after its lease of a TTL of 10 s", async (ms) => {
    const started = await start();
    const id = await reach[status](started);
    started.clock.increment(ms);
    const again = await started.runner.submit(batch);
    expect(again).toEqual({ id: expect.not.stringMatching(id), reused: false });
  });
});

test.each(["failed", "cancelled"] as const)("R1.2: a job that is %s is never reused", async (status) => {
  const started = await start();
  const id = await reach[status](started);
  expect(await statusOf(started.runner, id)).toBe(status);
  const again = await started.runner.submit(batch);
  expect(again).toEqual({ id: expect.not.stringMatching(id), reused: false });
});

test("R1.2: a TTL that is no whole number of seconds ends where it says", async () => {
  const { runner, clock } = await start(1_500);
  const { id } = await runner.submit(batch);
  clock.increment(1_999);
  expect(await runner.submit(batch)).toEqual({ id, reused: true });
  clock.increment(1);
  expect(await runner.submit(batch)).toMatchObject({ reused: false });
});

test("R1.2: reuse does not prolong a job's life; touch does", async () => {
  const started = await start();
  const { runner, clock } = started;
  const id = await reach.done(started);
  clock.increment(9_000);
  expect(await runner.submit(batch)).toEqual({ id, reused: true });
  await runner.touch(id);
  clock.increment(10_000);
  expect(await runner.submit(batch)).toEqual({ id, reused: true });
  expect(started.leaseOf(id)).toBe(9);
  clock.increment(1_000);
  expect(await runner.submit(batch)).toMatchObject({ reused: false });
});

test("R1.2: a clock that has stepped back still finds the job", async () => {
  const { runner, clock } = await start();
  clock.increment(5_000);
  const { id } = await runner.submit(batch);
  Object.assign(clock, { now: () => 1_000 });
  expect(await runner.submit(batch)).toEqual({ id, reused: true });
});

test("R1.2: beside a failed and a cancelled job with the same key, the live one is reused", async () => {
  const started = await start();
  await reach.failed(started);
  await reach.cancelled(started);
  const { id } = await started.runner.submit(batch);
  expect(await started.runner.submit(batch)).toEqual({ id, reused: true });
});

test("R1.2: a job of a runner that is closed is found by the next one on the same store", async () => {
  const { store } = await openStoreFile();
  const fetch = () => ({ content: "" });
  const first = await startRunner({ store, fetch });
  const { id } = await first.runner.submit(batch);
  await untilTerminal(first.runner, id);
  await first.runner.close();
  const second = await startRunner({ store, fetch });
  expect(await second.runner.submit(batch)).toEqual({ id, reused: true });
});
