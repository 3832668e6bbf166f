import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createActor } from "xstate";
import { jobMachine } from "../../src/machines/job-machine.js";
import {
  cancel,
  deferred,
  refused,
  started,
  stored,
  storedAgain,
  taken,
  unsaved,
  wayTo,
} from "../support/job-steps.js";
import { startJob } from "../support/machine-actors.js";

const READY = "parent <- job.ready place=7 jobId=j1 job=job";

describe("R4: how a job ends", () => {
  test.each([
    { outcomes: ["ok", "ok", "ok"], end: "done", failed: 0 },
    { outcomes: ["failed", "failed", "failed"], end: "failed", failed: 3 },
    { outcomes: ["failed", "ok", "ok"], end: "partial", failed: 1 },
    { outcomes: ["ok", "failed", "failed"], end: "partial", failed: 2 },
    { outcomes: ["ok"], end: "done", failed: 0 },
    { outcomes: ["failed"], end: "failed", failed: 1 },
  ] as const)("$outcomes: $end, announced once and with its last target counted", ({ outcomes, end, failed }) => {
    const { job, run, said, state, clock } = startJob({ targetsTotal: outcomes.length });

    for (const [index, outcome] of outcomes.entries()) {
      run(taken);
      if (index === 0) run(started);
      expect(said.filter((line) => line.startsWith("announce"))).toEqual([]);
      run(stored(outcome));
    }

    expect(state()).toBe(end);
    expect(job.getSnapshot().status).toBe("done");
    expect(said).toEqual([...outcomes.map(() => READY), `announceEnd ${outcomes.length}/${failed}`]);
    expect(clock.pending).toBe(0);
  });

  test("a job whose one target failed without ever being started is failed and was never running", () => {
    const { run, said, state } = startJob({ targetsTotal: 1 });

    run(taken, stored("failed"));

    expect({ state: state(), said }).toEqual({ state: "failed", said: [READY, "announceEnd 1/1"] });
  });

  test.each(["done", "partial", "failed", "cancelled"] as const)(
    "a job that is %s hears nothing more: no second end, no count, no turn",
    (end) => {
      vi.spyOn(console, "warn").mockReturnValue(); // Where xstate says so in development.
      onTestFinished(() => void vi.restoreAllMocks());
      const { job, run, said, state } = startJob();
      run(...wayTo[end]);
      const before = { state: end, said: [...said], context: job.getSnapshot().context };

      run(stored(), cancel, refused, deferred(1), unsaved, taken, 60_000);

      expect({ state: state(), said, context: job.getSnapshot().context }).toEqual(before);
    },
  );
});

describe("R2: a job is serial", () => {
  test("it stays queued until its first target is started, and asks for one turn at a time", () => {
    const { job, run, said } = startJob();
    const asked = () => said.filter((line) => line === READY).length;

    expect([job.getSnapshot().matches("queued"), asked()]).toEqual([true, 1]);
    run(taken);
    expect([job.getSnapshot().matches("queued"), asked()]).toEqual([true, 1]);
    run(started);
    expect([job.getSnapshot().matches("running"), asked()]).toEqual([true, 1]);
    run(stored());
    expect([job.getSnapshot().matches("running"), asked()]).toEqual([true, 2]);
  });

  test("it stays in flight, and asks for no turn, while its worker goes on with its next target", () => {
    const { job, run, said, state } = startJob();

    run(taken, started, storedAgain("failed"), storedAgain());
    expect({ state: state(), said }).toEqual({ state: "running.inFlight", said: [READY] });
    run(stored());

    expect({ state: state(), said }).toEqual({ state: "partial", said: [READY, "announceEnd 3/1"] });
    expect(job.getSnapshot().context).toMatchObject({ targetsDone: 3, targetsFailed: 1 });
  });

  test("counts each stored target once, and none that was put back or that the store refused", () => {
    const { job, run } = startJob({ targetsTotal: 5 });
    const counts = () => {
      const { targetsDone, targetsFailed } = job.getSnapshot().context;
      return [targetsDone, targetsFailed];
    };

    run(taken, started, deferred(500));
    expect(counts()).toEqual([0, 0]);
    run(500, taken, unsaved);
    expect(counts()).toEqual([0, 0]);
    run(2_000, stored("failed"));
    expect(counts()).toEqual([1, 1]);
    run(taken, stored("ok"));
    expect(counts()).toEqual([2, 1]);
  });

  test("its context holds counts and not the targets: it is as large for 100,000 of them as for 10", () => {
    const small = startJob({ targetsTotal: 10 }).job.getSnapshot().context;
    const large = startJob({ targetsTotal: 100_000 }).job.getSnapshot().context;

    expect(large).toEqual({ ...small, targetsTotal: 100_000 });
    expect(Object.values(large).every((value) => typeof value !== "object")).toBe(true);
  });
});

describe("a cancel by somebody else, which the store finds", () => {
  test("the target stored meanwhile counts, even the last one: the job is cancelled all the same", () => {
    const { job, run, said, state } = startJob({ targetsTotal: 1 });

    run(taken, started, stored("failed", "gone"));

    expect({ state: state(), said }).toEqual({
      state: "cancelled",
      said: [READY, "announceCancelled", "parent <- job.left place=7"],
    });
    expect(job.getSnapshot().context).toMatchObject({ targetsDone: 1, targetsFailed: 1 });
  });

  test("R5: a target that wants to be tried later leaves no timer behind", () => {
    const { run, said, state, clock } = startJob();

    run(taken, started, deferred(500, "gone"));

    expect({ state: state(), timers: clock.pending }).toEqual({ state: "cancelled", timers: 0 });
    run(60_000);
    expect(said).toEqual([READY, "announceCancelled"]);
  });

  test("its next target is refused: cancelled once, with what was stored before", () => {
    const { job, run, said, state } = startJob();

    run(...wayTo["running.ready"], taken, refused);

    expect({ state: state(), said }).toEqual({ state: "cancelled", said: [READY, READY, "announceCancelled"] });
    expect(job.getSnapshot().context.targetsDone).toBe(1);
  });
});

test("a job on its own, without a scheduler, lives its life all the same: users may test against it", () => {
  const input = { jobId: "j1", place: 0, targetsTotal: 2, retryWaitMs: 1_000 };
  const job = createActor(jobMachine, { input }).start();

  for (const step of [taken, started, stored(), taken, stored("failed")]) job.send(step);

  expect(job.getSnapshot()).toMatchObject({ value: "partial", status: "done" });
});
