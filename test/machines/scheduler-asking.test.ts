import { describe, expect, test } from "vitest";
import { startScheduler } from "../support/scheduler-actors.js";

describe("R2: a worker that is about to store is asked for at that moment", () => {
  test("the job whose turn it is, is told and taken, and the worker goes on with it once it has stored", () => {
    const { worker, idle, ready, stores, stored, said } = startScheduler(1);
    idle(1);
    ready(0, 1, 2);
    said.length = 0;

    stores(1, true);
    expect({ said, now: worker(1).getSnapshot() }).toMatchObject({
      said: ["job-1 <- target.taken", "worker-1 takes job-1"],
      now: { value: "storing", context: { jobId: "job-0", next: { jobId: "job-1", place: 1 } } },
    });
    stored(1, false);

    expect(worker(1).getSnapshot()).toMatchObject({ value: "starting", context: { jobId: "job-1", place: 1 } });
  });

  test("its own job stands in its place meanwhile: it is next again where nobody else is ready, and is told nothing", () => {
    const { worker, idle, ready, stores, stored, said } = startScheduler(1);
    idle(1);
    ready(0);
    said.length = 0;

    stores(1, true);
    stored(1, true);

    expect({ said, now: worker(1).getSnapshot() }).toMatchObject({
      said: ["worker-1 takes job-0", "job-0 <- target.stored failed=false live=true again=true"],
      now: { value: "starting", context: { jobId: "job-0", next: undefined } },
    });
  });

  test("its own job comes before one that is behind it, seen from the job taken last", () => {
    const { idle, ready, stores, said } = startScheduler(2);
    idle(1, 2);
    ready(1, 3, 2);
    said.length = 0;

    stores(1, true); // Job 1, with job 3 taken last: 1 comes round before 2.
    stores(2, true); // Job 3, with job 1 taken last: 2 comes first.

    expect(said).toEqual(["worker-1 takes job-1", "job-2 <- target.taken", "worker-2 takes job-2"]);
  });

  test("where a job that another worker stores for is next, nobody is given a turn before that is stored", () => {
    const { scheduler, idle, ready, stores, stored, send, said } = startScheduler(2);
    idle(1, 2);
    ready(0, 1, 2);
    stores(1, true); // Takes job 2, with job 0 still to be stored.
    said.length = 0;

    stores(2, true); // After job 2 comes job 0, before its own job 1.

    expect(said).toEqual([]);
    stored(2, false);
    ready(1, 0);
    idle(2);
    expect(said.filter((line) => line.startsWith("worker"))).toEqual(["worker-2 takes job-0"]);
    expect(scheduler.getSnapshot().context.storing).toEqual([]);
    send({ type: "scheduler.close" });
  });

  test("a job that was cancelled meanwhile, or that the store refuses, stands in nobody's way", () => {
    const { idle, ready, stores, send, said } = startScheduler(2);
    idle(1, 2);
    ready(0, 1, 2);
    stores(1, true);
    said.length = 0;

    send({ type: "job.left", place: 0 });
    stores(2, true);

    expect(said).toEqual(["worker-2 takes job-1"]);
  });

  test("a job that does not go on is not given again, whoever else there is", () => {
    const { idle, ready, stores, said } = startScheduler(2);
    idle(1, 2);
    ready(0, 1);
    said.length = 0;

    stores(1, false);
    expect(said).toEqual([]);
    ready(5);
    stores(2, false);

    expect(said).toEqual(["job-5 <- target.taken", "worker-2 takes job-5"]);
  });

  test("no turn is kept for a worker that was not given one: it is idle after it has stored, and says so itself", () => {
    const { scheduler, worker, idle, ready, stores, stored, said } = startScheduler(1);
    idle(1);
    ready(0);
    stores(1, false);
    said.length = 0;

    ready(1);
    stored(1, false);

    expect([worker(1).getSnapshot(), scheduler.getSnapshot().context]).toMatchObject([
      { value: "idle" },
      { idleWorkers: [], rotation: { ready: { key: 1 } } },
    ]);
    idle(1);
    expect(said.filter((line) => line.startsWith("worker"))).toEqual(["worker-1 takes job-1"]);
  });

  test("the turn that is given so counts: the next one is taken after it", () => {
    const { scheduler, idle, ready, stores } = startScheduler(1);
    idle(1);
    ready(0, 1, 2);

    stores(1, true);

    const { rotation, idleWorkers } = scheduler.getSnapshot().context;
    expect([rotation.lastPlace, rotation.ready?.key, idleWorkers]).toEqual([1, 2, []]);
  });

  test("a worker that asks takes no turn from one that is idle, and leaves it idle", () => {
    const { scheduler, idle, ready, stores, said } = startScheduler(2);
    idle(1, 2);
    ready(0);
    said.length = 0;

    stores(1, true);

    expect(said).toEqual(["worker-1 takes job-0"]);
    expect(scheduler.getSnapshot().context.idleWorkers.map(({ id }) => id)).toEqual(["worker-2"]);
  });

  test("R5: a job that left meanwhile is not given", () => {
    const { idle, ready, stores, send, said } = startScheduler(1);
    idle(1);
    ready(0, 1);
    said.length = 0;

    send({ type: "job.left", place: 1 });
    stores(1, false);

    expect(said).toEqual([]);
  });
});
