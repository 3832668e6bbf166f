import { expect, test } from "vitest";
import { BatchError, type BatchStore, createBatchRunner, openSqliteStore } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { batchOf } from "../support/raw-submit.js";
import { recordHooks, startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { storeWith } from "../support/store-with.js";

const targets = [{ url: "u:1" }, { url: "u:2" }];

const countOf = (values: readonly string[]) =>
  Object.fromEntries([...new Set(values)].sort().map((value) => [value, values.filter((one) => one === value).length]));

test("R1: of 20 equal submits in one tick exactly one creates", async () => {
  const { runner, store, lines } = await startRunner({
    fetch: heldFetch().fetch,
    jobsPerCaller: 1,
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => runner.submit(batchOf(targets))));
  await settled();
  expect(countOf(answers.map(({ reused }) => String(reused)))).toEqual({ false: 1, true: 19 });
  expect(await store.list()).toEqual([expect.objectContaining({ id: answers[0]?.id, targetsTotal: 2 })]);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(countOf(lines)).toEqual({ "depth 1": 1, "inflight 1": 1, "job created": 1, "job reused": 19 });
});

test("R1: of 20 callers at a total of 8 exactly 8 get in", async () => {
  const { runner, store, lines } = await startRunner({
    fetch: heldFetch().fetch,
    jobsPerCaller: 1,
    jobsTotal: 8,
  });
  const answers = await Promise.allSettled(
    Array.from({ length: 20 }, (_, caller) => runner.submit(batchOf(targets, { caller: { name: `c${caller}` } }))),
  );
  await settled();
  expect(countOf(answers.map((answer) => answer.status))).toEqual({ fulfilled: 8, rejected: 12 });
  for (const answer of answers) {
    if (answer.status === "fulfilled") continue;
    expect(answer.reason).toBeInstanceOf(BatchError);
    expect(answer.reason).toMatchObject({ code: "ERR_BUSY", limit: 8, count: 8 });
  }
  expect((await store.list()).map(({ caller }) => caller).toSorted()).toEqual(
    Array.from({ length: 8 }, (_, caller) => `c${caller}`),
  );
  expect(countOf(lines)).toMatchObject({ "job created": 8, "depth 8": 1, "inflight 1": 1 });
  expect(runner.gauges.getSnapshot().context.live).toBe(8);
});

test("R1: of 20 different jobs of one caller that may have 3, exactly 3 get in", async () => {
  const { runner, store } = await startRunner({ fetch: heldFetch().fetch, jobsPerCaller: 3 });
  const answers = await Promise.allSettled(
    Array.from({ length: 20 }, (_, job) => runner.submit(batchOf([{ url: `u:${job}` }]))),
  );
  expect(countOf(answers.map((answer) => answer.status))).toEqual({ fulfilled: 3, rejected: 17 });
  expect(await store.list()).toHaveLength(3);
});

test("R1.4: the job is stored queued with all its targets pending before the promise resolves", async () => {
  const { store, raw } = await openStoreFile();
  const held = heldFetch();
  const { runner, clock, submit } = await startRunner({ store, fetch: held.fetch });
  clock.increment(1_700_000_000_999);
  await submit("bob", "u:0");
  await held.next();
  const options = { grep: "ü" };
  const submitted = runner.submit(batchOf([{ url: "u:1", options }, { url: "ü:2" }], { callerClass: "gold" }));
  const { id, jobs, rows } = await submitted.then(({ id }) => ({
    id,
    jobs: raw.prepare("select * from batch_job where id = ?").all(id),
    rows: raw.prepare("select * from batch_target where job_id = ? order by idx").all(id),
  }));
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(jobs).toEqual([
    expect.objectContaining({
      id,
      caller: "alice",
      caller_class: "gold",
      status: "queued",
      error: "",
      targets_total: 2,
      targets_done: 0,
      targets_failed: 0,
      created_at: 1_700_000_000,
      lease: 1_700_000_000,
      nbytes: Buffer.byteLength('u:1{"grep":"ü"}ü:2{}'),
    }),
  ]);
  const fresh = { job_id: id, status: "pending", result: null, error: "", hint: "", attempts: 0 };
  expect(rows).toEqual([
    expect.objectContaining({ ...fresh, idx: 0, url: "u:1", options: '{"grep":"ü"}' }),
    expect.objectContaining({ ...fresh, idx: 1, url: "ü:2", options: "{}" }),
  ]);
});

test("R1.4: ids differ", async () => {
  const { submit } = await startRunner({ fetch: () => ({ content: "" }), jobsTotal: 50, jobsPerCaller: 50 });
  const ids = await Promise.all(Array.from({ length: 50 }, (_, job) => submit("alice", `u:${job}`)));
  expect(new Set(ids).size).toBe(50);
});

test("R1.5: a submit stores, tells the hooks, sweeps and only then wakes a worker", async () => {
  const real = await openSqliteStore(":memory:");
  const { hooks, lines } = recordHooks();
  const told = <K extends "admit" | "sweep" | "start">(method: K) =>
    ((...args: never[]) => {
      lines.push(method);
      return (real[method] as (...args: never[]) => unknown)(...args);
    }) as unknown as BatchStore[K];
  const store = storeWith(real, { admit: told("admit"), sweep: told("sweep"), start: told("start") });
  const runner = await createBatchRunner({ store, hooks, fetch: () => ({ content: "" }) });
  const { id } = await runner.submit(batchOf([{ url: "u:1" }]));
  await runner.idle();
  await settled();
  await runner.submit(batchOf([{ url: "u:1" }]));
  await runner.close();
  await real.close();
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(lines).toEqual([
    ...["sweep", "admit", "depth 1", "job created", "sweep", "start", "inflight 1"],
    ...["inflight 0", "depth 0", `target ok ${'{"content":""}'.length}`, "job done", "jobSeconds"],
    ...["admit", "job reused"],
  ]);
});

test("R1.4: ids are random in all of their 16 bytes, so that people can tell jobs submitted together by how their ids begin", async () => {
  const { runner } = await startRunner({ fetch: heldFetch().fetch, jobsPerCaller: 500, jobsTotal: 500 });
  const ids: string[] = [];
  for (let number = 0; number < 500; number++) {
    ids.push((await runner.submit(batchOf([{ url: `u:${number}` }]))).id);
  }
  expect(new Set(ids.map((id) => id.slice(0, 12))).size).toBe(500);
  for (let byte = 0; byte < 16; byte++) {
    expect(new Set(ids.map((id) => id.slice(2 * byte, 2 * byte + 2))).size).toBeGreaterThan(128);
  }
});
