import { initialTransition, type SnapshotFrom, transition } from "xstate";
import type { JobRef } from "../../src/machines/job-machine.js";
import type { OrderedTree } from "../../src/machines/ordered-tree.js";
import { type SchedulerEvent, schedulerMachine } from "../../src/machines/scheduler-machine.js";
import type { WorkerRef } from "../../src/machines/worker-machine.js";

/** How many there are: of workers, of jobs that are submitted, and of each job's targets. */
export interface Sizes {
  readonly workers: number;
  readonly jobs: number;
  readonly targets: number;
}

interface JobInTurn {
  readonly is: "ready" | "taken" | "waiting" | "over";
  readonly stored: number;
  readonly dueMs: number;
  readonly cancelled: boolean;
}

/** What the scheduler's definition says, who of the jobs is where, by their places, and which of them each worker has. */
export interface TurnStanding {
  readonly sizes: Sizes;
  readonly scheduler: SnapshotFrom<typeof schedulerMachine>;
  readonly jobs: readonly JobInTurn[];
  readonly workers: Readonly<Record<number, number | undefined>>;
  readonly nowMs: number;
}

const alone = schedulerMachine.provide({
  actions: { tellJob: () => {}, tellWorker: () => {} },
}) as typeof schedulerMachine;
const jobStub = { id: "job" } as JobRef;

export function workerNumbers({ sizes }: TurnStanding): number[] {
  return Array.from({ length: sizes.workers }, (_, index) => index + 1);
}

/** A runner that nobody has submitted to: every worker has said that it is idle. */
export function idleRunner(sizes: Sizes): TurnStanding {
  const start: TurnStanding = {
    sizes,
    scheduler: initialTransition(alone, { workers: sizes.workers })[0],
    jobs: [],
    workers: {},
    nowMs: 0,
  };
  return workerNumbers(start).reduce(workerIdle, start);
}

function tellScheduler(at: TurnStanding, event: SchedulerEvent): TurnStanding {
  const [scheduler, actions] = transition(alone, at.scheduler, event);
  const after = { ...at, scheduler };
  if (!actions.some(({ type }) => type === "tellWorker")) return after;
  const place = scheduler.context.rotation.lastPlace;
  const due = event.type === "job.ready" ? event.place : dueByRule(at, event);
  if (place !== due) throw new Error(`R2: it is the turn of job ${due}, and not of job ${place}`);
  const worker = "worker" in event ? event.worker : at.scheduler.context.idleWorkers[0];
  const number = Number(worker?.id.slice("worker-".length));
  return withJob({ ...after, workers: { ...at.workers, [number]: place } }, place, { is: "taken" });
}

/**
 * The rule, read off the page: the next one that is ready after the one taken last, round and round. The job that a worker
 * stores for stands in its place, if that goes on.
 */
function dueByRule({ scheduler }: TurnStanding, event: SchedulerEvent): number | undefined {
  const { ready: others, lastPlace } = rotationOf(scheduler);
  const own = event.type === "worker.asking" && event.hasMore ? [event.turn.place] : [];
  const ready = [...others, ...own].sort((a, b) => a - b);
  return ready.find((place) => place > lastPlace) ?? ready[0];
}

export function withJob(at: TurnStanding, place: number, changes: Partial<JobInTurn>): TurnStanding {
  return { ...at, jobs: at.jobs.with(place, { ...at.jobs[place]!, ...changes }) };
}

export function jobReady(at: TurnStanding, place: number): TurnStanding {
  const event = { type: "job.ready", place, jobId: `job ${place}`, job: jobStub } as const;
  return tellScheduler(withJob(at, place, { is: "ready" }), event);
}

export function jobLeft(at: TurnStanding, place: number): TurnStanding {
  return tellScheduler(at, { type: "job.left", place });
}

export function workerIdle(at: TurnStanding, number: number): TurnStanding {
  return tellScheduler(withWorker(at, number, undefined), {
    type: "worker.idle",
    worker: { id: `worker-${number}` } as WorkerRef,
  });
}

/** The worker stores a target of the job at `place`; what it is given, if anything, it has taken by the end. */
export function workerStores(at: TurnStanding, number: number, place: number, hasMore: boolean): TurnStanding {
  const turn = { place, jobId: `job ${place}`, job: jobStub };
  const worker = { id: `worker-${number}` } as WorkerRef;
  const asked = tellScheduler(withWorker(at, number, undefined), { type: "worker.asking", worker, turn, hasMore });
  if (asked.workers[number] === place) return asked;
  const after = hasMore ? jobReady(asked, place) : withJob(asked, place, { is: "over" });
  return asked.workers[number] === undefined ? workerIdle(after, number) : after;
}

function withWorker(at: TurnStanding, number: number, place: number | undefined): TurnStanding {
  return { ...at, workers: { ...at.workers, [number]: place } };
}

export function closed(at: TurnStanding): TurnStanding {
  return tellScheduler(at, { type: "scheduler.close" });
}

export function isOpen({ scheduler }: TurnStanding): boolean {
  return scheduler.value === "open";
}

/** What is compared after each move, read off any scheduler's snapshot. */
export function rotationOf({ value, context }: TurnStanding["scheduler"]) {
  const places = (tree: OrderedTree<unknown> | undefined): number[] =>
    tree === undefined ? [] : [...places(tree.left), tree.key, ...places(tree.right)];
  return {
    value,
    ready: places(context.rotation.ready),
    lastPlace: context.rotation.lastPlace,
    idle: context.idleWorkers.map(({ id }) => id),
  };
}

export function turnKey({ scheduler, jobs, workers, nowMs }: TurnStanding): string {
  const waits = jobs.map(({ dueMs, is }) => (is === "waiting" ? dueMs - nowMs : 0));
  const states = jobs.map(({ is, stored, cancelled }) => [is, stored, cancelled]);
  return JSON.stringify([rotationOf(scheduler), states, waits, workers]);
}
