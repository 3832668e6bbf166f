import { expect, test } from "vitest";
import type { Caller, LeftJob, RunnerConfig } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { callerOf, succession } from "../support/succession.js";

test("resume: jobs go on where they stood, in submit order, and what was running runs once more", async () => {
  const { raw, start } = await succession();
  const first = await start();
  const a = await first.submit("ann", "a1", "a2", "a3");
  const b = await first.submit("bob", "b1");
  (await first.held.next()).succeed();
  (await first.held.next()).succeed();
  await settled();
  const c = await first.submit("cat", "c1", "c2");
  expect((await first.held.next()).target.url).toBe("a2");
  await first.stop();
  expect(jobRows(raw, b).job).toMatchObject({ status: "done" });
  expect(jobRows(raw, a).targets).toEqual(["done", "running", "pending"]);

  const second = await start();
  const d = await second.submit("dan", "d1");
  const order: [string, number, Caller][] = [];
  for (let turn = 0; turn < 5; turn++) {
    const call = await second.held.next();
    order.push([call.target.url, call.context.attempt, call.context.caller]);
    call.succeed();
  }
  await second.runner.idle();
  const ann = { name: "ann" };
  const cat = { name: "cat" };
  expect(order).toEqual([
    ["a2", 2, ann],
    ["c1", 1, cat],
    ["d1", 1, { name: "dan" }],
    ["a3", 1, ann],
    ["c2", 1, cat],
  ]);
  expect([a, c, d].map((id) => jobRows(raw, id).job)).toEqual([
    { status: "done", error: "", done: 3, failed: 0 },
    { status: "done", error: "", done: 2, failed: 0 },
    { status: "done", error: "", done: 1, failed: 0 },
  ]);
});

test("resume: is asked in submit order for each job left live, with its class, counts and times, and may take a while", async () => {
  const { clock, start } = await succession();
  clock.increment(5_000_000);
  const first = await start();
  const a = await first.submit("ann", "a1", "a2");
  (await first.held.next()).fail(new Error("nope"));
  await settled();
  const b = await first.submit("bob", "b1");
  clock.increment(60_000);
  await first.runner.touch(b);
  await first.stop();

  const asked: LeftJob[] = [];
  const second = await start({
    resume: async (job) => {
      asked.push({ ...job });
      job.id = "another";
      await settled();
      return callerOf(job);
    },
  });
  const job = { callerClass: "gold", error: "", createdAt: 5_000 };
  expect(asked).toEqual([
    {
      ...{ ...job, id: a, caller: "ann", status: "running", lease: 5_000 },
      ...{ targetsTotal: 2, targetsDone: 1, targetsFailed: 1 },
    },
    {
      ...{ ...job, id: b, caller: "bob", status: "queued", lease: 5_060 },
      ...{ targetsTotal: 1, targetsDone: 0, targetsFailed: 0 },
    },
  ]);
  expect(second.lines).toEqual(["depth 1", "depth 2"]);
  expect(second.runner.gauges.getSnapshot().context.live).toBe(2);
});

test("resume: whom it finds no caller for is interrupted: undefined, what is no caller, and a throw", async () => {
  const { raw, start } = await succession({ jobsTotal: 20 });
  const answers: Record<string, () => unknown> = {
    undefined: () => undefined,
    null: () => null,
    number: () => 7,
    text: () => "caller",
    nameless: () => ({}),
    misnamed: () => ({ name: 7 }),
    throws: () => {
      throw new Error("no such account");
    },
    rejects: () => Promise.reject(new Error("no such account")),
    hostile: () => Object.defineProperty({}, "name", { get: () => assertNever() }),
    good: () => ({ name: "good", workspace: "w" }),
  };
  const first = await start();
  const ids: Record<string, string> = {};
  for (const caller of Object.keys(answers)) ids[caller] = await first.submit(caller, `${caller} 1`);
  await first.stop();
  const second = await start({
    resume: ((job: LeftJob) => answers[job.caller]?.()) as RunnerConfig["resume"] & object,
  });
  const interrupted = { status: "failed", error: "interrupted", done: 0, failed: 0 };
  for (const [caller, id] of Object.entries(ids)) {
    if (caller !== "good") expect([caller, jobRows(raw, id).job]).toEqual([caller, interrupted]);
  }
  expect(second.lines).toEqual([...Array(9).fill("job failed"), "depth 1"]);
  expect((await second.held.next()).context.caller).toEqual({ name: "good", workspace: "w" });
});

function assertNever(): never {
  throw new Error("read");
}

test("resume: a job that somebody cancelled while nobody ran is not taken up; one cancelled while `resume` thinks is told of", async () => {
  const { store, raw, start } = await succession();
  const first = await start();
  const a = await first.submit("ann", "a1");
  const b = await first.submit("bob", "b1");
  await first.held.next();
  await first.stop();
  await store.cancel(a);
  const second = await start({
    async resume(job) {
      await store.cancel(job.id);
      return callerOf(job);
    },
  });
  await second.runner.idle();
  expect(second.lines).toEqual(["job cancelled"]);
  expect([a, b].map((id) => jobRows(raw, id))).toEqual([
    { job: { status: "cancelled", error: "", done: 0, failed: 0 }, targets: ["pending"] },
    { job: { status: "cancelled", error: "", done: 0, failed: 0 }, targets: ["pending"] },
  ]);
});

test("resume: a resumed job can be watched, cancelled, reused and counted against the caps like any other", async () => {
  const { start } = await succession({ jobsPerCaller: 1 });
  const first = await start();
  const id = await first.submit("ann", "a1", "a2");
  (await first.held.next()).succeed();
  await first.held.next();
  await first.stop();
  const second = await start();
  const call = await second.held.next();
  expect(await second.submit("ann", "a1", "a2")).toBe(id);
  await expect(second.submit("ann", "other")).rejects.toMatchObject({ code: "ERR_CALLER_BUSY", count: 1 });
  const seen: unknown[] = [];
  const watching = (async () => {
    for await (const { status, targetsDone } of second.runner.watch(id)) seen.push([status, targetsDone]);
  })();
  await settled();
  expect(await second.runner.cancel(id)).toBe(true);
  call.succeed();
  await watching;
  expect(seen).toEqual([
    ["running", 1],
    ["cancelled", 1],
  ]);
  await second.submit("ann", "other");
});

test("resume: `createBatchRunner` names what is no function and a bad `maxInterrupted`, and leaves the store free", async () => {
  const { start } = await succession();
  await expect(start({ resume: 7 as never })).rejects.toThrow(new TypeError("resume must be a function"));
  await expect(start({ maxInterrupted: -1 })).rejects.toThrow(/^maxInterrupted /);
  await start({ maxInterrupted: 0 });
});
