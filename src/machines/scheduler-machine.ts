import { assign, sendTo, setup, stopChild } from "xstate";
import type { JobRef } from "./job-machine.js";
import { comesBefore, emptyRotation, enter, isNext, leave, next, type Rotation, take } from "./rotation.js";
import { type Turn, turnOf, type WorkerRef, workerMachine } from "./worker-machine.js";

/** It is about to store a target of `turn`, whose job `hasMore` when that was not its last. */
interface WorkerAsking {
  type: "worker.asking";
  worker: WorkerRef;
  turn: Turn;
  hasMore: boolean;
}

export type SchedulerEvent =
  | ({ type: "job.ready" } & Turn)
  | { type: "job.left"; place: number }
  | { type: "job.drop"; job: JobRef }
  | { type: "worker.idle"; worker: WorkerRef }
  | WorkerAsking
  | { type: "scheduler.close" };

export interface SchedulerContext {
  rotation: Rotation<Turn>;
  idleWorkers: readonly WorkerRef[];
  /** Who stores for a job that goes on and that nobody has taken again: that job is as good as ready. */
  storing: readonly Storing[];
}

interface Storing {
  worker: WorkerRef;
  place: number;
}

/**
 * The root of the actor system: it keeps the rotation and the idle workers, and pairs them (R2).
 *
 * - `open`: whoever becomes ready or idle is paired at once. `closed`: nobody is given a turn any more.
 * - A worker that is about to store asks for its next turn. The jobs that workers store for stand in their places meanwhile: it
 *   may take its own again; where another's is next, it gets no turn before that is stored.
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
      event.type === "job.ready"
        ? { rotation: enter(context.rotation, event.place, turnOf(event)), storing: storingAfter(context, event) }
        : context,
    ),
    leaveRotation: assign(({ context, event }) =>
      event.type === "job.left"
        ? { rotation: leave(context.rotation, event.place), storing: storingAfter(context, event) }
        : context,
    ),
    enlistWorker: assign(({ context, event }) =>
      event.type === "worker.idle"
        ? { idleWorkers: [...context.idleWorkers, event.worker], storing: storingAfter(context, event) }
        : context,
    ),
    noteStoring: assign(({ context, event }) => ({ storing: storingAfter(context, event) })),
    stopJob: stopChild(({ event }) => (event.type === "job.drop" ? event.job : "")),
  },
  guards: {
    isWorkerIdle: ({ context }) => context.idleWorkers.length > 0,
    isJobReady: ({ context }) => context.rotation.ready !== undefined,
    isSameJobNext: ({ context, event }) => event.type === "worker.asking" && isSameJobNext(context, event),
    isOtherJobNext: ({ context, event }) => {
      const turn = next(context.rotation);
      return turn !== undefined && "worker" in event && isBeforeStoring(context, turn.place, event.worker);
    },
  },
}).createMachine({
  id: "scheduler",
  context: ({ input, spawn }) => {
    for (let number = 1; number <= input.workers; number++) spawn("worker", { id: `worker-${number}` });
    return { rotation: emptyRotation, idleWorkers: [], storing: [] };
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
          { guard: "isOtherJobNext", actions: ["tellJob", "tellWorker", "passTurn"] },
          { actions: "noteStoring" },
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
function nextPair(context: SchedulerContext, event: SchedulerEvent): { turn: Turn; worker: WorkerRef } {
  const turn = nextTurn(context, event);
  const worker = "worker" in event ? event.worker : context.idleWorkers[0];
  if (turn === undefined || worker === undefined) throw new Error("nobody to pair");
  return { turn, worker };
}

function nextTurn(context: SchedulerContext, event: SchedulerEvent): Turn | undefined {
  if (event.type === "job.ready") return turnOf(event);
  if (event.type === "worker.asking" && isSameJobNext(context, event)) return event.turn;
  return next(context.rotation)?.job;
}

function isSameJobNext(context: SchedulerContext, { hasMore, turn, worker }: WorkerAsking): boolean {
  return hasMore && isNext(context.rotation, turn.place) && isBeforeStoring(context, turn.place, worker);
}

/** Whether `place` comes before all jobs that other workers store for. */
function isBeforeStoring({ rotation, storing }: SchedulerContext, place: number, worker: WorkerRef): boolean {
  return storing.every((other) => other.worker === worker || comesBefore(rotation, place, other.place));
}

function afterPair(context: SchedulerContext, event: SchedulerEvent): SchedulerContext {
  const { turn } = nextPair(context, event);
  return {
    rotation: take(context.rotation, turn.place),
    idleWorkers: "worker" in event ? context.idleWorkers : context.idleWorkers.slice(1),
    storing: storingAfter(context, event, turn),
  };
}

/** Who still stores for a job that is as good as ready, after an event and the turn that it has given, if any. */
function storingAfter({ storing }: SchedulerContext, event: SchedulerEvent, given?: Turn): readonly Storing[] {
  if ("place" in event) return without(storing, ({ place }) => place === event.place);
  if (!("worker" in event)) return storing;
  const others = without(storing, ({ worker }) => worker === event.worker);
  if (event.type !== "worker.asking" || !event.hasMore || given?.place === event.turn.place) return others;
  return [...others, { worker: event.worker, place: event.turn.place }];
}

/** The same list where nothing is to be left out, as most often. */
function without(storing: readonly Storing[], isOut: (each: Storing) => boolean): readonly Storing[] {
  return storing.some(isOut) ? storing.filter((each) => !isOut(each)) : storing;
}
