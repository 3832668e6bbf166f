import { expect, test } from "vitest";
import { heldFetch, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { startOnManualClock, startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { storeWith } from "../support/store-with.js";
import { troubledStore } from "../support/troubled-store.js";

test("R4: a job's end is told before the worker that stored it fetches for another job", async () => {
  const held = heldFetch();
  const { runner, lines, submit } = await startRunner({ fetch: held.fetch });
  await submit("bob", "b1", "b2");
  const first = await held.next();
  await submit("ann", "a");
  first.succeed();
  for (const _ of ["a", "b2"]) (await held.next()).succeed();
  await runner.idle();
  expect(lines).toEqual([
    ...["depth 1", "job created", "inflight 1", "depth 2", "job created"],
    ...["inflight 0", "target ok 16", "inflight 1"],
    ...["inflight 0", "depth 1", "target ok 15", "job done", "jobSeconds"],
    ...["inflight 1", "inflight 0", "depth 0", "target ok 16", "job done", "jobSeconds"],
  ]);
});

test("R8: where a target is stored and only the start of the next one fails, the next one is started and not the stored one anew", async () => {
  const { store: real, raw } = await openStoreFile();
  const store = storeWith(real, {
    // What SQLite cannot write: the store then settles alone.
    settle: (request, next) => real.settle(request, next && { ...next, startedAtMs: {} as never }),
  });
  const held = heldFetch();
  const { runner, submit } = await startRunner({ store, fetch: held.fetch });
  const id = await submit("ann", "a1", "a2", "a3");
  for (let target = 0; target < 3; target++) (await held.next()).succeed();
  await runner.idle();
  expect([held.urls, (await runner.status(id))?.targets.map(({ attempts }) => attempts)]).toEqual([
    ["a1", "a2", "a3"],
    [1, 1, 1],
  ]);
  expect(jobRows(raw, id)).toEqual({
    job: { status: "done", error: "", done: 3, failed: 0 },
    targets: ["done", "done", "done"],
  });
});

test("R8: a job that goes on from memory asks for its targets one after the other", async () => {
  const { store: real } = await openStoreFile();
  const { store, refused } = troubledStore(real);
  const asked: number[] = [];
  const watched = storeWith(store, {
    start: (request) => {
      asked.push(request.index);
      return store.start(request);
    },
  });
  const held = heldFetch();
  const options = { store: watched, fetch: held.fetch, retryWaitMs: 1_000, retryForMs: 1_500 };
  const { clock, lines, submit } = await startOnManualClock(options);
  refused.add("start").add("settle");
  await submit("ann", "a1", "a2", "a3");
  for (let tries = 0; tries < 3; tries++) {
    await settled();
    clock.jump(1_000);
  }
  await settled();
  expect([asked, lines]).toEqual([
    [0, 0, 0, 1, 2],
    [
      ...["depth 1", "job created", "target internal error", "target internal error"],
      ...["depth 0", "target internal error", "job failed", "jobSeconds"],
    ],
  ]);
});
