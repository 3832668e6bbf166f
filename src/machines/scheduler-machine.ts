import { assign, sendTo, setup, stopChild } from "xstate";
import type { JobRef } from "./job-machine.js";
import { emptyRotation, enter, isNext, leave, next, type Rotation, take } from "./rotation.js";
import { type Turn, type WorkerRef, workerMachine } from "./worker-machine.js";

/** `worker.asking`: it is about to store a target of `turn`, whose job `goesOn` when that was not its last. */
export type SchedulerEvent =
  | ({ type: "job.ready" } & Turn)
  | { type: "job.left"; place: number }
  | { type: "job.drop"; job: JobRef }
  | { type: "worker.idle"; worker: WorkerRef }
  | { type: "worker.asking"; worker: WorkerRef; turn: Turn; goesOn: boolean }
  | { type: "scheduler.close" };

export interface SchedulerContext {
  rotation: Rotation<Turn>;
  idleWorkers: readonly WorkerRef[];
}

/**
 * The root of the actor system: it keeps the rotation and the idle workers, and pairs them (R2).
 *
 * - `open`: whoever becomes ready or idle is paired at once. `closed`: nobody is given a turn any more.
 * - A worker that is about to store asks for its next turn; the job that it stores for stands in its place meanwhile.
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
    tellJob: sendTo(({ context, event }) => nextPair(context, event).turn.job, { type: "target.taken" }),
    tellWorker: sendTo(
      ({ context, event }) => nextPair(context, event).worker,
      ({ context, event }) => ({ type: "worker.take", ...nextPair(context, event).turn }),
    ),
    /** Takes the pair that was just told out of the rotation and the idle workers. */
    passTurn: assign(({ context, event }) => afterPair(context, event)),
    enterRotation: assign(({ context, event }) =>
      event.type === "job.ready" ? { rotation: enter(context.rotation, event.place, turnOf(event)) } : context,
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
    isSameJobNext: ({ context, event }) =>
      event.type === "worker.asking" && event.goesOn && isNext(context.rotation, event.turn.place),
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
        "worker.asking": [
          { guard: "isSameJobNext", actions: ["tellWorker", "passTurn"] },
          { guard: "isJobReady", actions: ["tellJob", "tellWorker", "passTurn"] },
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
): { turn: Turn; worker: WorkerRef } {
  const turn = nextTurn(rotation, event);
  const worker = "worker" in event ? event.worker : idleWorkers[0];
  if (turn === undefined || worker === undefined) throw new Error("nobody to pair");
  return { turn, worker };
}

function nextTurn(rotation: Rotation<Turn>, event: SchedulerEvent): Turn | undefined {
  if (event.type === "job.ready") return turnOf(event);
  if (event.type === "worker.asking" && event.goesOn && isNext(rotation, event.turn.place)) return event.turn;
  return next(rotation)?.job;
}

function afterPair(context: SchedulerContext, event: SchedulerEvent): SchedulerContext {
  return {
    rotation: take(context.rotation, nextPair(context, event).turn.place),
    idleWorkers: "worker" in event ? context.idleWorkers : context.idleWorkers.slice(1),
  };
}

function turnOf({ place, jobId, job }: Turn): Turn {
  return { place, jobId, job };
}
