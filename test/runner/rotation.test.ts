import { describe, expect, test } from "vitest";
import { type BatchRunner, createBatchRunner, openSqliteStore } from "../../src/index.js";
import { type HeldFetch, heldFetch, settled } from "../../src/testing/index.js";
import { batchOf } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";
import { storeWith } from "../support/store-with.js";

/** The URLs of a job: `a1`, `a2`, … */
const urls = (job: string, count: number) => Array.from({ length: count }, (_, index) => `${job}${index + 1}`);

const batch = (job: string, count: number) =>
  batchOf(
    urls(job, count).map((url) => ({ url })),
    { caller: { name: job } },
  );

async function succeed(held: HeldFetch, count: number): Promise<void> {
  for (let call = 0; call < count; call++) (await held.next()).succeed();
}

test("R2: one worker and two jobs alternate: a1 b1 a2 b2 a3 b3", async () => {
  const held = heldFetch();
  const { submit } = await startRunner({ fetch: held.fetch });
  await Promise.all([submit("a", ...urls("a", 3)), submit("b", ...urls("b", 3))]);
  await succeed(held, 6);
  expect(held.urls).toEqual(["a1", "b1", "a2", "b2", "a3", "b3"]);
});

test("R2: jobs that end leave the others their turns", async () => {
  const held = heldFetch();
  const { submit } = await startRunner({ fetch: held.fetch });
  await submit("a", ...urls("a", 1));
  await submit("b", ...urls("b", 4));
  await submit("c", ...urls("c", 2));
  await succeed(held, 7);
  expect(held.urls).toEqual(["a1", "b1", "c1", "b2", "c2", "b3", "b4"]);
});

test("R2: a cancelled job has no turns", async () => {
  const held = heldFetch();
  const { runner, submit } = await startRunner({ fetch: held.fetch });
  await submit("a", ...urls("a", 2));
  const b = await submit("b", ...urls("b", 2));
  await submit("c", ...urls("c", 2));
  const a1 = await held.next();
  await runner.cancel(b);
  a1.succeed();
  await succeed(held, 3);
  await settled();
  expect(held.urls).toEqual(["a1", "c1", "a2", "c2"]);
});

describe("R2: d comes after a, b and c, as it was submitted: a1 b1 c1 d1 a2", () => {
  type Moment = "in flight" | "stored, which the runner is not told yet" | "stored and counted" | "stored and told";

  /** Runs jobs a, b and c, with d submitted at a moment of a1. */
  async function run(moment: Moment): Promise<string[]> {
    const held = heldFetch();
    const real = await openSqliteStore(":memory:");
    let joined: Promise<unknown> | undefined;
    const join = (now: Moment) => {
      if (now === moment) joined ??= runner.submit(batch("d", 2));
    };
    const store = storeWith(real, {
      async settle(request) {
        const settlement = await real.settle(request);
        join("stored, which the runner is not told yet");
        await joined;
        return settlement;
      },
    });
    const hooks = {
      target: () => join("stored and told"),
      inflight: (count: number) => count === 0 && join("stored and counted"),
    };
    const runner: BatchRunner = await createBatchRunner({ store, fetch: held.fetch, hooks });
    for (const job of ["a", "b", "c"]) await runner.submit(batch(job, 2));
    const a1 = await held.next();
    join("in flight");
    await joined;
    a1.succeed();
    await succeed(held, 7);
    await joined;
    await runner.close();
    await real.close();
    return [...held.urls];
  }

  test.each<Moment>(["in flight", "stored, which the runner is not told yet", "stored and counted", "stored and told"])(
    "submitted while a1 is %s",
    async (moment) => {
      expect(await run(moment)).toEqual(["a1", "b1", "c1", "d1", "a2", "b2", "c2", "d2"]);
    },
  );
});

test("R2: two workers share one rotation, in submit order and not in the order of becoming free", async () => {
  const held = heldFetch();
  const { submit } = await startRunner({ fetch: held.fetch, workers: 2 });
  for (const job of ["a", "b", "c"]) await submit(job, ...urls(job, 2));
  const a1 = await held.next();
  const b1 = await held.next();
  await settled();
  expect(held.urls).toEqual(["a1", "b1"]);
  b1.succeed();
  const c1 = await held.next();
  await settled();
  a1.succeed();
  const a2 = await held.next();
  c1.succeed();
  const b2 = await held.next();
  a2.succeed();
  b2.succeed();
  await succeed(held, 1);
  expect(held.urls).toEqual(["a1", "b1", "c1", "a2", "b2", "c2"]);
});

test("R2: two workers never have two targets of one job in flight", async () => {
  const held = heldFetch();
  const { submit } = await startRunner({ fetch: held.fetch, workers: 2 });
  await submit("a", ...urls("a", 3));
  for (let target = 1; target <= 3; target++) {
    const call = await held.next();
    await settled();
    expect(held.urls).toEqual(urls("a", target));
    call.succeed();
  }
});

test("R2: a job is serial: the next target starts only after the one before is stored", async () => {
  const held = heldFetch();
  const real = await openSqliteStore(":memory:");
  const events: string[] = [];
  let store1 = () => {};
  const gate = new Promise<void>((resolve) => {
    store1 = resolve;
  });
  const store = storeWith(real, {
    async start(request) {
      events.push(`start ${request.index}`);
      return real.start(request);
    },
    async settle(request) {
      await gate;
      const settlement = await real.settle(request);
      events.push(`stored ${request.outcomes[0]?.index}`);
      return settlement;
    },
  });
  const { submit } = await startRunner({ store, fetch: held.fetch, workers: 2 });
  await submit("a", ...urls("a", 2));
  (await held.next()).succeed();
  await settled();
  expect({ urls: held.urls, events }).toEqual({ urls: ["a1"], events: ["start 0"] });
  store1();
  await succeed(held, 1);
  await settled();
  expect(events).toEqual(["start 0", "stored 0", "start 1", "stored 1"]);
  await real.close();
});

test("R2: a job that no worker has reached stays queued; its first target sets it running", async () => {
  const held = heldFetch();
  const { runner, submit } = await startRunner({ fetch: held.fetch });
  await submit("a", ...urls("a", 1));
  const b = await submit("b", ...urls("b", 2));
  const stateOf = async () => {
    const report = await runner.status(b);
    return [report?.job.status, ...(report?.targets ?? []).map(({ status, attempts }) => `${status} ${attempts}`)];
  };
  const a1 = await held.next();
  await settled();
  expect(await stateOf()).toEqual(["queued", "pending 0", "pending 0"]);
  a1.succeed();
  const b1 = await held.next();
  expect(await stateOf()).toEqual(["running", "running 1", "pending 0"]);
  b1.succeed();
  await held.next();
  expect(await stateOf()).toEqual(["running", "done 1", "running 1"]);
});
