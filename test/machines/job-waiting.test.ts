import { describe, expect, test } from "vitest";
import { cancel, deferred, started, stored, taken, unsaved, unstarted, wayTo } from "../support/job-steps.js";
import { startJob } from "../support/machine-actors.js";

const READY = "parent <- job.ready place=7 jobId=j1 job=job";
const LEFT = "parent <- job.left place=7";

describe("R3: a target that wants to be tried later", () => {
  test.each([1, 2_000, 5_500, 600_000])("waits for the %i ms that it was given, to the millisecond", (waitMs) => {
    const { run, state, said } = startJob({ retryWaitMs: 2_000 });
    run(taken, started, deferred(waitMs));
    said.length = 0;

    run(waitMs - 1);
    expect({ state: state(), said }).toEqual({ state: "running.waiting", said: [] });
    run(1);
    expect({ state: state(), said }).toEqual({ state: "running.ready", said: [READY] });
  });

  test("a wait of 0 still lets the clock have its turn", () => {
    const { run, state } = startJob();

    run(taken, started, deferred(0));
    expect(state()).toBe("running.waiting");
    run(0);
    expect(state()).toBe("running.ready");
  });

  test("each wait is its own: the second is not as long as the first", () => {
    const { run, state } = startJob();

    run(taken, started, deferred(5_000), 5_000, taken, deferred(100), 99);
    expect(state()).toBe("running.waiting");
    run(1);
    expect(state()).toBe("running.ready");
  });

  test("a start that the store refuses waits for retryWaitMs, and not as long as the target before", () => {
    const { run, state } = startJob({ retryWaitMs: 300 });

    run(taken, started, deferred(5_000), 5_000, taken, unstarted, 299);
    expect(state()).toBe("running.waiting");
    run(1);
    expect(state()).toBe("running.ready");
  });

  test("a job that never ran waits as a queued one", () => {
    const { job, run, state } = startJob({ retryWaitMs: 300 });

    run(taken, unstarted, 299);
    expect(state()).toBe("queued.waiting");
    run(1);
    expect(state()).toBe("queued.ready");
    run(taken, started, stored());
    expect(job.getSnapshot().context.targetsDone).toBe(1);
  });
});

describe("R8: a store that refuses the write of an outcome", () => {
  test("is asked again every retryWaitMs, until it answers", () => {
    const { run, said, state } = startJob({ retryWaitMs: 300 });
    run(taken, started, unsaved);
    said.length = 0;

    run(299);
    expect(said).toEqual([]);
    run(1);
    expect(said).toEqual(["saveTarget"]);
    run(5_000);
    expect(said, "no second try while the first is not answered").toEqual(["saveTarget"]);
    run(unsaved, 299);
    expect(said).toEqual(["saveTarget"]);
    run(1, stored());
    expect({ state: state(), said }).toEqual({ state: "running.ready", said: ["saveTarget", "saveTarget", READY] });
  });

  test("holds up the end of a job, which is announced when it is stored and not before", () => {
    const { run, said, state } = startJob({ targetsTotal: 1, retryWaitMs: 300 });

    run(taken, started, unsaved, 300, unsaved, 300);
    expect(said).toEqual([READY, LEFT, "saveTarget", "saveTarget"]);
    run(stored("failed"));
    expect({ state: state(), said }).toEqual({
      state: "failed",
      said: [READY, LEFT, "saveTarget", "saveTarget", "announceEnd 1/1"],
    });
  });

  test("refuses to put a target back: the wait begins once that is stored", () => {
    const { run, state } = startJob({ retryWaitMs: 300 });

    run(taken, started, unsaved, 300, deferred(700), 699);
    expect(state()).toBe("running.waiting");
    run(1);
    expect(state()).toBe("running.ready");
  });

  test("R5: a cancel meanwhile goes on saving, with its pauses, and asks for no turn", () => {
    const { run, said, state, clock } = startJob({ retryWaitMs: 300 });
    run(taken, started, unsaved, cancel);
    said.length = 0;

    run(300, unsaved, 300, stored("ok", "gone"), 5_000);

    expect({ state: state(), said, timers: clock.pending }).toEqual({
      state: "cancelled",
      said: ["saveTarget", "saveTarget"],
      timers: 0,
    });
  });
});

test("a job has a timer in the states that wait, and in no other", () => {
  const timers = Object.entries(wayTo).map(([state, steps]) => {
    const { run, clock } = startJob();
    run(...steps);
    return [state, clock.pending];
  });

  const waits = /\.(waiting|pausing)$/;
  expect(timers).toEqual(Object.keys(wayTo).map((state) => [state, waits.test(state) ? 1 : 0]));
});
