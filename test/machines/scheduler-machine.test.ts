import { describe, expect, test } from "vitest";
import { createActor } from "xstate";
import { jobMachine } from "../../src/machines/job-machine.js";
import { schedulerMachine } from "../../src/machines/scheduler-machine.js";
import { stateName } from "../support/machine-actors.js";
import { transitionsOf } from "../support/machine-transitions.js";
import { startScheduler } from "../support/scheduler-actors.js";

describe("R2: the scheduler", () => {
  test("starts as many workers as it is told, as its children, and counts none idle before it says so", () => {
    const { scheduler, ready, said } = startScheduler(3);

    expect(Object.keys(scheduler.getSnapshot().children)).toEqual(["worker-1", "worker-2", "worker-3"]);
    ready(0);
    expect(said).toEqual([]);
  });

  test("pairs a job that becomes ready with an idle worker at once, and tells both of it", () => {
    const { idle, ready, said } = startScheduler();

    idle(2);
    expect(said).toEqual([]);
    ready(0);

    expect(said).toEqual(["job-0 <- target.taken", "worker-2 takes job-0"]);
  });

  test("pairs a worker that becomes idle with the job whose turn it is", () => {
    const { idle, ready, said } = startScheduler();

    ready(2, 0, 1);
    expect(said).toEqual([]);
    idle(1);

    expect(said).toEqual(["job-0 <- target.taken", "worker-1 takes job-0"]);
  });

  test("idle workers are served first in, first out; jobs by the rotation", () => {
    const { idle, ready, said } = startScheduler(3);

    idle(2, 3, 1);
    ready(5, 4, 3);
    expect(said.filter((line) => line.startsWith("worker"))).toEqual([
      "worker-2 takes job-5",
      "worker-3 takes job-4",
      "worker-1 takes job-3",
    ]);
  });

  test("goes on after the job taken last, even where that one was taken the moment it became ready", () => {
    const { worker, idle, ready, said } = startScheduler(1);
    const endTurn = () => {
      worker(1).send({ type: "target.unstarted" });
      idle(1);
    };

    idle(1);
    ready(1);
    ready(0, 2);
    endTurn();
    ready(1);
    endTurn();
    endTurn();

    expect(said.filter((line) => line.startsWith("worker"))).toEqual([
      "worker-1 takes job-1",
      "worker-1 takes job-2",
      "worker-1 takes job-0",
      "worker-1 takes job-1",
    ]);
  });

  test("a job that left has no turn; the others do", () => {
    const { idle, ready, said, send } = startScheduler();

    ready(0, 1);
    send({ type: "job.left", place: 0 });
    send({ type: "job.left", place: 9 });
    idle(1, 2);

    expect(said).toEqual(["job-1 <- target.taken", "worker-1 takes job-1"]);
  });

  test("each pairing takes both away: no job has two workers, no worker two jobs", () => {
    const { scheduler, idle, ready, said } = startScheduler();

    ready(0);
    idle(1, 2);
    ready(1);
    ready(2);

    expect(said.filter((line) => line.startsWith("worker"))).toEqual(["worker-1 takes job-0", "worker-2 takes job-1"]);
    const { idleWorkers, rotation } = scheduler.getSnapshot().context;
    expect([idleWorkers, rotation.ready?.key, rotation.lastPlace]).toEqual([[], 2, 1]);
  });
});

describe("the closed scheduler", () => {
  test("gives nobody a turn: not those that were ready, nor later ones, nor a worker that becomes idle", () => {
    const { scheduler, idle, ready, said, send } = startScheduler();
    ready(0);

    send({ type: "scheduler.close" });
    idle(1, 2);
    ready(1);
    send({ type: "job.left", place: 0 });
    send({ type: "scheduler.close" });

    expect({ state: stateName(scheduler.getSnapshot()), said }).toEqual({ state: "closed", said: [] });
  });

  test("gives no turn to a worker that stores: not its own job's, and nobody else's", () => {
    const { worker, idle, ready, stores, stored, said, send } = startScheduler(1);
    idle(1);
    ready(0, 1);
    said.length = 0;

    send({ type: "scheduler.close" });
    stores(1, true);
    stored(1, false);

    expect({ said, now: worker(1).getSnapshot() }).toMatchObject({
      said: ["job-0 <- target.stored failed=false live=true again=false"],
      now: { value: "idle" },
    });
  });

  test("gives no turn to an idle worker that was waiting for a job", () => {
    const { idle, ready, said, send } = startScheduler();
    idle(1);

    send({ type: "scheduler.close" });
    ready(0);

    expect(said).toEqual([]);
  });

  test("job.drop stops that job and its timers, and no other job", () => {
    const { scheduler, clock, send } = startScheduler();
    const startWaiting = (place: number) => {
      const input = { jobId: `j${place}`, place, targetsTotal: 1, retryWaitMs: 1_000 };
      const job = createActor(jobMachine, { id: input.jobId, parent: scheduler, input }).start();
      job.send({ type: "target.taken" });
      job.send({ type: "target.unstarted" });
      return job;
    };
    const [dropped, kept] = [startWaiting(0), startWaiting(1)];
    expect(clock.pending).toBe(2);

    send({ type: "scheduler.close" });
    send({ type: "job.drop", job: dropped });

    expect([dropped.getSnapshot().status, kept.getSnapshot().status, clock.pending]).toEqual(["stopped", "active", 1]);
    clock.increment(1_000);
    expect([stateName(dropped.getSnapshot()), stateName(kept.getSnapshot())]).toEqual([
      "queued.waiting",
      "queued.ready",
    ]);
  });

  test("stopping it stops its workers", () => {
    const { scheduler, send, worker } = startScheduler(1);
    const first = worker(1);

    send({ type: "scheduler.close" });
    scheduler.stop();

    expect(first.getSnapshot().status).toBe("stopped");
  });
});

test("R2: these events reach every transition of the scheduler", () => {
  const { seen, idle, ready, stores, stored, send, scheduler } = startScheduler();

  ready(0);
  idle(1);
  idle(2);
  ready(1);
  stores(1, true);
  stored(1, true);
  ready(2);
  stores(1, false);
  stored(1, false);
  stores(2, false);
  send({ type: "job.left", place: 3 });
  send({ type: "scheduler.close" });
  const input = { jobId: "j", place: 5, targetsTotal: 1, retryWaitMs: 1 };
  send({ type: "job.drop", job: createActor(jobMachine, { parent: scheduler, input }).start() });

  expect(transitionsOf(schedulerMachine).filter((name) => !seen.includes(name))).toEqual([]);
});
