import { expect, test } from "vitest";
import { createActor, type SnapshotFrom } from "xstate";
import { type JobRef, jobMachine } from "../../src/machines/job-machine.js";
import type { OrderedTree } from "../../src/machines/ordered-tree.js";
import { type SchedulerEvent, schedulerMachine } from "../../src/machines/scheduler-machine.js";
import type { WorkerRef } from "../../src/machines/worker-machine.js";
import { stateName } from "../support/machine-actors.js";
import { pathsThrough } from "../support/machine-paths.js";
import { uncovered } from "../support/machine-transitions.js";
import { startScheduler } from "../support/scheduler-actors.js";

type Snapshot = SnapshotFrom<typeof schedulerMachine>;

const PLACES = [0, 1, 2];
const WORKERS = [1, 2];

// The walk needs something to hold; the run over the actors puts the real ones in their places.
const jobStub = (place: number) => ({ id: `job-${place}` }) as JobRef;
const turnStub = (place: number) => ({ place, jobId: `job-${place}`, job: jobStub(place) });
const workerStubs = WORKERS.map((number) => ({ id: `worker-${number}` }) as WorkerRef);

function placesOf(tree: OrderedTree<unknown> | undefined): number[] {
  return tree === undefined ? [] : [...placesOf(tree.left), tree.key, ...placesOf(tree.right)];
}

function possible({ context, value }: Snapshot): SchedulerEvent[] {
  const ready = placesOf(context.rotation.ready);
  const { storing } = context;
  return [
    ...PLACES.filter((place) => !ready.includes(place)).map(
      (place) => ({ type: "job.ready", ...turnStub(place) }) as const,
    ),
    ...[...ready, ...storing.map(({ place }) => place)].map((place) => ({ type: "job.left", place }) as const),
    ...workerStubs
      .filter(({ id }) => !context.idleWorkers.some((idle) => idle.id === id))
      .map((worker) => ({ type: "worker.idle", worker }) as const),
    ...workerStubs
      .filter(({ id }) => !context.idleWorkers.some((idle) => idle.id === id))
      .flatMap((worker) => PLACES.filter((place) => !ready.includes(place)).map((place) => ({ worker, place })))
      .filter(({ worker, place }) => !storing.some((other) => other.place === place && other.worker.id !== worker.id))
      .flatMap(({ worker, place }) =>
        [true, false].map((hasMore) => ({ type: "worker.asking", worker, turn: turnStub(place), hasMore }) as const),
      ),
    { type: "scheduler.close" },
    ...(value === "closed" ? [{ type: "job.drop", job: jobStub(9) } as const] : []),
  ];
}

/** The rule, read off the page: who is ready, who is idle, and where the rotation stands. */
class NaiveScheduler {
  ready: number[] = [];
  idle: number[] = [];
  readonly storing = new Map<number, number>();
  last = -1;
  open = true;
  readonly turns: string[] = [];

  pair(): void {
    const [worker] = this.idle;
    if (worker !== undefined && this.#give(worker, this.ready)) this.idle.shift();
  }

  /** The jobs that workers store for stand in their places: its own may be given again, another's has to be waited for. */
  asked(worker: number, place: number, hasMore: boolean): void {
    if (!this.open) return;
    this.storing.delete(worker);
    const others = [...this.storing.values()];
    const next = this.#next([...this.ready, ...others, ...(hasMore ? [place] : [])]);
    const given = next !== undefined && !others.includes(next) && this.#give(worker, [next], place);
    if (hasMore && !(given && next === place)) this.storing.set(worker, place);
  }

  isReady(place: number): void {
    this.left(place);
    this.ready.push(place);
  }

  left(place: number): void {
    this.ready = this.ready.filter((other) => other !== place);
    for (const [worker, other] of this.storing) if (other === place) this.storing.delete(worker);
  }

  #next(places: number[]): number | undefined {
    const inOrder = places.toSorted((a, b) => a - b);
    return inOrder.find((other) => other > this.last) ?? inOrder[0];
  }

  #give(worker: number, places: number[], own = -1): boolean {
    const place = this.#next(places);
    if (!this.open || place === undefined) return false;
    this.ready = this.ready.filter((other) => other !== place);
    this.last = place;
    if (place !== own) this.turns.push(`job-${place} <- target.taken`);
    this.turns.push(`worker-${worker} takes job-${place}`);
    return true;
  }
}

function apply(event: SchedulerEvent, under: ReturnType<typeof startScheduler>, naive: NaiveScheduler): void {
  switch (event.type) {
    case "job.ready":
      naive.isReady(event.place);
      under.ready(event.place);
      break;
    case "job.left":
      naive.left(event.place);
      under.send(event);
      break;
    case "worker.idle": {
      const number = Number(event.worker.id.slice("worker-".length));
      under.worker(number).send({ type: "target.unstarted" }); // Ends its turn, where it has one.
      naive.storing.delete(number);
      naive.idle.push(number);
      under.idle(number);
      break;
    }
    case "worker.asking": {
      const number = Number(event.worker.id.slice("worker-".length));
      const { place, jobId } = event.turn;
      naive.asked(number, place, event.hasMore);
      under.send({ ...event, worker: under.worker(number), turn: { place, jobId, job: under.job(place) } });
      break;
    }
    case "scheduler.close":
      naive.open = false;
      under.send(event);
      break;
    case "job.drop": {
      const input = { jobId: "j9", place: 9, targetsTotal: 1, retryWaitMs: 1_000 };
      const job = createActor(jobMachine, { id: "j9", parent: under.scheduler, input }).start();
      under.send({ type: "job.drop", job });
      expect(job.getSnapshot().status).toBe("stopped");
    }
  }
  naive.pair();
}

test("R2: every path that the world can take the scheduler: turns as the naive rule gives them, nobody waits in vain", () => {
  const seen = { states: new Set<string>(), transitions: new Set<string>() };
  const paths = pathsThrough<typeof schedulerMachine, SchedulerEvent>(
    schedulerMachine,
    { workers: WORKERS.length },
    possible,
    ({ context }) => [
      placesOf(context.rotation.ready),
      context.rotation.lastPlace,
      context.idleWorkers.map(({ id }) => id),
      context.storing.map(({ worker, place }) => [worker.id, place]),
    ],
  );
  expect(paths.length).toBeGreaterThan(100);
  console.info(`${paths.length} paths`);

  for (const path of paths) {
    const under = startScheduler(WORKERS.length);
    const naive = new NaiveScheduler();
    seen.states.add(stateName(under.scheduler.getSnapshot()));
    for (const { event } of path) {
      apply(event, under, naive);
      const { context } = under.scheduler.getSnapshot();
      expect(under.said.filter((line) => !line.includes("unstarted"))).toEqual(naive.turns);
      if (naive.open) expect(context.rotation.ready === undefined || context.idleWorkers.length === 0).toBe(true);
      seen.states.add(stateName(under.scheduler.getSnapshot()));
    }
    for (const name of under.seen) seen.transitions.add(name);
  }

  expect(uncovered(schedulerMachine, seen)).toEqual({ states: [], transitions: [] });
});
