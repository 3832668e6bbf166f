import { expect, test } from "vitest";
import type { BatchRunner } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { fieldsOf, rejection } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";

const caps = { targetsPerJob: 2, jobsPerCaller: 2, jobsTotal: 3 };
const tooMany = (count: number) => ({ code: "ERR_TOO_MANY_TARGETS", message: "too many targets", limit: 2, count });
const callerBusy = { code: "ERR_CALLER_BUSY", message: "busy", limit: 2, count: 2 };
const busy = { code: "ERR_BUSY", message: "jobs busy", limit: 3, count: 3 };

async function start(config: object = caps) {
  const held = heldFetch();
  const { runner, store, lines } = await startRunner({ fetch: held.fetch, ...config });
  return { runner, store, lines, held };
}

let nextUrl = 0;

/** Submits targets that nobody has submitted before. */
function submit(runner: BatchRunner, name: string, count = 1): Promise<{ id: string }> {
  const targets = Array.from({ length: count }, () => ({ url: `u:${nextUrl++}` }));
  return runner.submit({ caller: { name }, callerClass: "", targets });
}

const refusal = async (submitted: Promise<unknown>) => fieldsOf(await rejection(submitted));

test("R1.3: a job has at most targetsPerJob targets", async () => {
  const { runner } = await start();
  await submit(runner, "alice", 2);
  expect(await refusal(submit(runner, "alice", 3))).toEqual(tooMany(3));
});

test("R1.3: a caller has at most jobsPerCaller live jobs, and another caller has its own", async () => {
  const { runner } = await start();
  await submit(runner, "alice");
  await submit(runner, "alice");
  expect(await refusal(submit(runner, "alice"))).toEqual(callerBusy);
  await submit(runner, "bob");
});

test("R1.3: there are at most jobsTotal live jobs", async () => {
  const { runner } = await start();
  for (const name of ["alice", "alice", "bob"]) await submit(runner, name);
  expect(await refusal(submit(runner, "carol"))).toEqual(busy);
});

test("R1.3: too many targets come before a busy caller, and that before busy jobs", async () => {
  const { runner } = await start();
  for (const name of ["alice", "alice", "bob"]) await submit(runner, name);
  expect(await refusal(submit(runner, "alice", 3))).toEqual(tooMany(3));
  expect(await refusal(submit(runner, "alice"))).toEqual(callerBusy);
  expect(await refusal(submit(runner, "bob"))).toEqual(busy);
});

test("R1.3: a refused submit leaves no row and calls no hook", async () => {
  const { runner, store, lines } = await start();
  for (const name of ["alice", "alice", "bob"]) await submit(runner, name);
  await settled();
  const before = { jobs: await store.list(), lines: [...lines] };
  await Promise.all([
    rejection(submit(runner, "alice")),
    rejection(submit(runner, "bob", 9)),
    rejection(submit(runner, "carol")),
  ]);
  await settled();
  expect({ jobs: await store.list(), lines }).toEqual(before);
});

test("R1.3: the defaults are 32 targets a job, 1 job a caller and 8 jobs in all", async () => {
  const { runner } = await start({ jobsPerCaller: undefined });
  expect(await refusal(submit(runner, "c0", 33))).toEqual({ ...tooMany(33), limit: 32 });
  for (let caller = 0; caller < 8; caller++) await submit(runner, `c${caller}`, 32);
  expect(await refusal(submit(runner, "c0"))).toEqual({ ...callerBusy, limit: 1, count: 1 });
  expect(await refusal(submit(runner, "c8"))).toEqual({ ...busy, limit: 8, count: 8 });
});

test("R1.3: a job that has ended holds no slot", async () => {
  const { runner, held } = await start({ ...caps, jobsPerCaller: 1, jobsTotal: 1 });
  await submit(runner, "alice");
  const call = await held.next();
  expect(await refusal(submit(runner, "bob"))).toMatchObject({ code: "ERR_BUSY" });
  call.succeed();
  await runner.idle();
  await submit(runner, "alice");
});

test("R5: a cancelled job holds no slot, though its target is still in flight", async () => {
  const { runner, held } = await start({ ...caps, jobsPerCaller: 1, jobsTotal: 1 });
  const { id } = await submit(runner, "alice");
  await held.next();
  await runner.cancel(id);
  await submit(runner, "alice");
});

test("R1.3: what is live is what the rows say: a job cancelled through the store holds no slot", async () => {
  const { runner, store, held } = await start({ ...caps, jobsPerCaller: 1, jobsTotal: 1 });
  const { id } = await submit(runner, "alice", 2);
  await held.next();
  expect(await refusal(submit(runner, "alice"))).toMatchObject({ code: "ERR_CALLER_BUSY" });
  await store.cancel(id);
  await submit(runner, "alice");
  expect(await refusal(submit(runner, "bob"))).toMatchObject({ code: "ERR_BUSY", count: 1 });
});
