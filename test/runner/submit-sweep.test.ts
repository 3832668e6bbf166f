import { expect, test } from "vitest";
import { SimulatedClock } from "xstate";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

const fetch = () => ({ content: "" });

test("R1.5: a submit sweeps ended jobs whose lease is older than the TTL, with their targets, and no others", async () => {
  const { store, raw } = await openStoreFile();
  const { runner, clock, submit } = await startRunner({ store, fetch, ttlMs: 10_000 });
  const ended = async (...urls: string[]) => {
    const id = await submit("alice", ...urls);
    await untilTerminal(runner, id);
    return id;
  };
  await ended("old:1", "old:2");
  const touched = await ended("touched:1");
  clock.increment(1_000);
  const atTtl = await ended("young:1");
  await runner.touch(touched);
  clock.increment(10_000);
  const last = await ended("last:1");
  expect((await store.list()).map(({ id }) => id)).toEqual([last, atTtl, touched]);
  expect(raw.prepare("select url from batch_target order by url").pluck().all()).toEqual([
    "last:1",
    "touched:1",
    "young:1",
  ]);
});

test("R1.5: cancelled and failed jobs are swept as any ended job", async () => {
  const { runner, store, clock, submit } = await startRunner({
    ttlMs: 10_000,
    fetch: () => Promise.reject(new Error("nope")),
  });
  const failed = await submit("alice", "u:1");
  await untilTerminal(runner, failed);
  await runner.cancel(await submit("alice", "u:2"));
  await settled();
  expect(await store.list()).toHaveLength(2);
  clock.increment(11_000);
  const id = await submit("bob", "u:3");
  expect((await store.list()).map((job) => job.id)).toEqual([id]);
});

test("sweep: a live job is never swept, however old", async () => {
  const held = heldFetch();
  const { runner, clock, submit } = await startRunner({ fetch: held.fetch, ttlMs: 10_000 });
  const running = await submit("alice", "u:1");
  const queued = await submit("bob", "u:2");
  const call = await held.next();
  clock.increment(1_000_000_000);
  await submit("carol", "u:3");
  expect((await runner.status(running))?.job.status).toBe("running");
  expect((await runner.status(queued))?.job.status).toBe("queued");
  call.succeed();
  expect(await untilTerminal(runner, running)).toMatchObject({ status: "done" });
});

test("R1.5: a start sweeps as well, by its own TTL", async () => {
  const { store } = await openStoreFile();
  const first = await startRunner({ store, fetch, ttlMs: 10_000 });
  const old = await first.submit("alice", "u:1");
  await untilTerminal(first.runner, old);
  first.clock.increment(1_000);
  const young = await first.submit("alice", "u:2");
  await untilTerminal(first.runner, young);
  await first.runner.close();
  const clock = new SimulatedClock();
  clock.set(6_000);
  await startRunner({ store, fetch, clock, ttlMs: 5_000 });
  expect((await store.list()).map(({ id }) => id)).toEqual([young]);
});
