import { assign, sendTo, setup, stopChild } from "xstate";
import type { JobRef } from "./job-machine.js";
import { emptyRotation, enter, leave, next, type Rotation, take } from "./rotation.js";
import { type WorkerRef, workerMachine } from "./worker-machine.js";

interface ReadyJob {
  jobId: string;
  job: JobRef;
}

export type SchedulerEvent =
  | ({ type: "job.ready"; place: number } & ReadyJob)
  | { type: "job.left"; place: number }
  | { type: "job.drop"; job: JobRef }
  | { type: "worker.idle"; worker: WorkerRef }
  | { type: "scheduler.close" };

export interface SchedulerContext {
  rotation: Rotation<ReadyJob>;
  idleWorkers: readonly WorkerRef[];
}

/**
 * The root of the actor system: it keeps the rotation and the idle workers, and pairs them (R2).
 *
 * - `open`: whoever becomes ready or idle is paired at once. `closed`: nobody is given a turn any more.
 * - Workers are its children. Jobs are made with it as their parent; it knows a job only while that is ready.
 *
 * Invariant: while open, never is a job ready and a worker idle between two events.
 */
export const schedulerMachine = setup({
  types: {
    context: {} as SchedulerContext,
    events: {} as SchedulerEvent,
    input: {} as { workers: number },
  },
  actors: { worker: workerMachine },
  actions: {
    /** Tells the job and the worker of the next pair that they belong together. */
    tellJob: sendTo(({ context, event }) => nextPair(context, event).job, { type: "target.taken" }),
    tellWorker: sendTo(
      ({ context, event }) => nextPair(context, event).worker,
      ({ context, event }) => {
        const { job, jobId } = nextPair(context, event);
        return { type: "worker.take", job, jobId };
      },
    ),
    /** Takes the pair that was just told out of the rotation and the idle workers. */
    passTurn: assign(({ context, event }) => afterPair(context, event)),
    enterRotation: assign(({ context, event }) =>
      event.type === "job.ready"
        ? { rotation: enter(context.rotation, event.place, { jobId: event.jobId, job: event.job }) }
        : context,
    ),
    leaveRotation: assign(({ context, event }) =>
      event.type === "job.left" ? { rotation: leave(context.rotation, event.place) } : context,
    ),
    enlistWorker: assign(({ context, event }) =>
      event.type === "worker.idle" ? { idleWorkers: [...context.idleWorkers, event.worker] } : context,
    ),
    stopJob: stopChild(({ event }) => (event.type === "job.drop" ? event.job : "")),
  },
  guards: {
    isWorkerIdle: ({ context }) => context.idleWorkers.length > 0,
    isJobReady: ({ context }) => context.rotation.ready !== undefined,
  },
}).createMachine({
  id: "scheduler",
  context: ({ input, spawn }) => {
    for (let number = 1; number <= input.workers; number++) spawn("worker", { id: `worker-${number}` });
    return { rotation: emptyRotation, idleWorkers: [] };
  },
  initial: "open",
  states: {
    open: {
      on: {
        "job.ready": [
          { guard: "isWorkerIdle", actions: ["tellJob", "tellWorker", "passTurn"] },
          { actions: "enterRotation" },
        ],
        "worker.idle": [
          { guard: "isJobReady", actions: ["tellJob", "tellWorker", "passTurn"] },
          { actions: "enlistWorker" },
        ],
        "job.left": { actions: "leaveRotation" },
        "scheduler.close": "closed",
      },
    },
    closed: {
      on: { "job.drop": { actions: "stopJob" } },
    },
  },
});

/** Who is to be paired: whoever an event brings, with whoever has been waiting for one such. */
function nextPair(
  { rotation, idleWorkers }: SchedulerContext,
  event: SchedulerEvent,
): ReadyJob & { place: number; worker: WorkerRef } {
  const turn = event.type === "job.ready" ? { place: event.place, job: event } : next(rotation);
  const worker = event.type === "worker.idle" ? event.worker : idleWorkers[0];
  if (turn === undefined || worker === undefined) throw new Error("nobody to pair");
  return { place: turn.place, jobId: turn.job.jobId, job: turn.job.job, worker };
}

function afterPair(context: SchedulerContext, event: SchedulerEvent): SchedulerContext {
  return {
    rotation: take(context.rotation, nextPair(context, event).place),
    idleWorkers: event.type === "worker.idle" ? context.idleWorkers : context.idleWorkers.slice(1),
  };
}
