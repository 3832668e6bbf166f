import { describe, expect, test } from "vitest";
import { type BatchStore, openSqliteStore, RetryLaterError, type RunnerConfig } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { startOnManualClock, startRunner } from "../support/runner.js";

async function startHeld(config: Partial<RunnerConfig> = {}) {
  const held = heldFetch();
  const started = await startOnManualClock({ fetch: held.fetch, ...config });
  /** A job's status and counts, and the status of each target. */
  const state = async (id: string) => {
    const report = await started.runner.status(id);
    const { status, targetsDone, targetsFailed } = report?.job ?? {};
    return { status, targetsDone, targetsFailed, targets: report?.targets.map((target) => target.status) };
  };
  return { ...started, held, state };
}

test("R5: cancel is false for an unknown job and for each job that has ended", async () => {
  const { runner, submit, lines } = await startRunner({
    fetch(target) {
      if (target.url === "bad") throw new Error("nope");
      return { content: "" };
    },
  });
  const ids = [await submit("ann", "a"), await submit("bob", "bad"), await submit("cem", "a", "bad")];
  await runner.idle();
  const told = lines.length;
  const answers = await Promise.all(["unknown", ...ids].map((id) => runner.cancel(id)));
  const statuses = await Promise.all(ids.map(async (id) => (await runner.status(id))?.job.status));
  expect({ answers, statuses, told: lines.slice(told) }).toEqual({
    answers: [false, false, false, false],
    statuses: ["done", "failed", "partial"],
    told: [],
  });
});

test("R5: a queued job is cancelled at once, its slot is free, and none of its targets is ever fetched", async () => {
  const { runner, held, lines, submit, state } = await startHeld({ jobsPerCaller: 1 });
  await submit("ann", "a");
  const first = await held.next();
  const id = await submit("bob", "b1", "b2");
  const told = lines.length;
  expect(await runner.cancel(id)).toBe(true);
  expect(await state(id)).toEqual({
    status: "cancelled",
    targetsDone: 0,
    targetsFailed: 0,
    targets: ["pending", "pending"],
  });
  expect(lines.slice(told)).toEqual(["depth 1", "job cancelled"]);
  expect(await runner.cancel(id)).toBe(false);

  await submit("bob", "other");
  first.succeed();
  (await held.next()).succeed();
  await settled();
  expect(held.urls).toEqual(["a", "other"]);
  expect(lines.filter((line) => line === "job cancelled")).toEqual(["job cancelled"]);
});

describe("R5: a target in flight when its job is cancelled finishes and is stored, and later ones stay pending", () => {
  test.each([
    ["a result", false, "target ok 15"],
    ["an error", true, "target nope"],
  ])("%s", async (_name, fails, line) => {
    const { runner, held, lines, submit, state } = await startHeld({ jobsPerCaller: 1 });
    const id = await submit("ann", "a", "b");
    const call = await held.next();
    const told = lines.length;
    expect(await runner.cancel(id)).toBe(true);
    expect(await state(id)).toEqual({
      status: "cancelled",
      targetsDone: 0,
      targetsFailed: 0,
      targets: ["running", "pending"],
    });
    expect(call.context.signal.aborted).toBe(false);
    await submit("ann", "next");

    if (fails) call.fail(new Error("nope"));
    else call.succeed();
    (await held.next()).succeed();
    await settled();
    expect(await state(id)).toEqual({
      status: "cancelled",
      targetsDone: 1,
      targetsFailed: fails ? 1 : 0,
      targets: [fails ? "failed" : "done", "pending"],
    });
    expect(held.urls).toEqual(["a", "next"]);
    expect(lines.slice(told)).toEqual([
      ...["depth 0", "job cancelled", "depth 1", "job created"],
      ...["inflight 0", line, "inflight 1"],
      ...["inflight 0", "depth 0", "target ok 18", "job done", "jobSeconds"],
    ]);
  });
});

test("R5: storing the last target never overwrites `cancelled`, and tells no other end", async () => {
  const { runner, held, lines, submit, state } = await startHeld();
  const id = await submit("ann", "a");
  const call = await held.next();
  await runner.cancel(id);
  call.succeed();
  await settled();
  expect(await state(id)).toEqual({ status: "cancelled", targetsDone: 1, targetsFailed: 0, targets: ["done"] });
  expect(lines.filter((line) => line.startsWith("job"))).toEqual(["job created", "job cancelled"]);
});

test("R5: a job between two of its targets is cancelled, and goes no further", async () => {
  const { runner, held, submit, state } = await startHeld();
  const ann = await submit("ann", "a1", "a2");
  await submit("bob", "b1");
  (await held.next()).succeed();
  const b1 = await held.next();
  expect(await runner.cancel(ann)).toBe(true);
  b1.succeed();
  await settled();
  expect(held.urls).toEqual(["a1", "b1"]);
  expect(await state(ann)).toEqual({
    status: "cancelled",
    targetsDone: 1,
    targetsFailed: 0,
    targets: ["done", "pending"],
  });
});

test("R5: a job that waits to retry is cancelled at once, and its timer is gone", async () => {
  const { runner, clock, held, lines, submit, state } = await startHeld();
  const id = await submit("ann", "a");
  (await held.next()).fail(new RetryLaterError());
  await settled();
  expect(clock.waits).toEqual([2_000]);
  expect(await runner.cancel(id)).toBe(true);
  expect(clock.waits).toEqual([]);
  clock.jump(10_000);
  await settled();
  expect(held.urls).toEqual(["a"]);
  expect(await state(id)).toEqual({ status: "cancelled", targetsDone: 0, targetsFailed: 0, targets: ["pending"] });
  expect(lines.slice(-2)).toEqual(["depth 0", "job cancelled"]);
});

test("R5: a retry-later answer after a cancel puts the target back to pending, with no timer and no `target` hook", async () => {
  const { runner, clock, held, lines, submit, state } = await startHeld();
  const id = await submit("ann", "a", "b");
  const call = await held.next();
  await runner.cancel(id);
  const told = lines.length;
  call.fail(new RetryLaterError());
  await settled();
  expect(await state(id)).toEqual({
    status: "cancelled",
    targetsDone: 0,
    targetsFailed: 0,
    targets: ["pending", "pending"],
  });
  expect({ waits: clock.waits, told: lines.slice(told) }).toEqual({ waits: [], told: ["inflight 0"] });
  clock.jump(10_000);
  await settled();
  expect(held.urls).toEqual(["a"]);
});

/** A store whose `method` takes a few turns before and after its work, as one over a network would. */
function slowly(store: BatchStore, method: "start" | "settle" | "defer" | "cancel"): BatchStore {
  const call = store[method] as (...args: unknown[]) => Promise<unknown>;
  const slow = async (...args: unknown[]) => {
    await settled();
    const answer = await call(...args);
    await settled();
    return answer;
  };
  return { ...store, [method]: slow };
}

describe("R5: a cancel and the last store race: one of them wins, in the rows and in what is told", () => {
  const delays = Array.from({ length: 13 }, (_, step) => step * 2);
  test.each(["start", "settle", "defer", "cancel", "none"] as const)("slow: %s", async (method) => {
    const outcomes = new Set<string>();
    for (const delay of delays) {
      for (const answer of ["succeed", "fail", "later"] as const) {
        const real = await openSqliteStore(":memory:");
        const store = method === "none" ? real : slowly(real, method);
        const { runner, lines, submit } = await startRunner({
          store,
          fetch() {
            if (answer === "later") throw new RetryLaterError();
            if (answer === "fail") throw new Error("nope");
            return { content: "" };
          },
        });
        const id = await submit("ann", "a");
        for (let turn = 0; turn < delay; turn++) await new Promise((resolve) => setImmediate(resolve));
        const cancelled = await runner.cancel(id);
        const job = await (answer === "later"
          ? runner.status(id).then((report) => report?.job)
          : untilTerminal(runner, id));
        for (let turn = 0; turn < 6; turn++) await settled();
        const report = await runner.status(id);
        const ends = lines.filter((line) => /^job (done|failed|cancelled)/.test(line));
        const expected = cancelled ? "cancelled" : { succeed: "done", fail: "failed", later: "none" }[answer];
        expect({
          ends,
          status: report?.job.status,
          job: job?.status,
          live: runner.gauges.getSnapshot().context.live,
        }).toEqual({
          ends: [`job ${expected}`],
          status: expected,
          job: expected,
          live: 0,
        });
        expect(report?.targets[0]?.status).not.toBe("running");
        outcomes.add(expected);
        await runner.close();
        await real.close();
      }
    }
    expect([...outcomes].sort()).toEqual(["cancelled", "done", "failed"]);
  });
});
