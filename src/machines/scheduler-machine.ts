import { assign, enqueueActions, setup, stopChild } from "xstate";
import type { JobRef } from "./job-machine.js";
import { emptyRotation, enter, leave, type Rotation, take } from "./rotation.js";
import { type WorkerRef, workerMachine } from "./worker-machine.js";

export type SchedulerEvent =
  | { type: "job.ready"; place: number; job: JobRef }
  | { type: "job.left"; place: number }
  | { type: "job.drop"; job: JobRef }
  | { type: "worker.idle"; worker: WorkerRef }
  | { type: "scheduler.close" };

export interface SchedulerContext {
  rotation: Rotation<JobRef>;
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
    enterRotation: assign(({ context, event }) =>
      event.type === "job.ready" ? { rotation: enter(context.rotation, event.place, event.job) } : context,
    ),
    leaveRotation: assign(({ context, event }) =>
      event.type === "job.left" ? { rotation: leave(context.rotation, event.place) } : context,
    ),
    enlistWorker: assign(({ context, event }) =>
      event.type === "worker.idle" ? { idleWorkers: [...context.idleWorkers, event.worker] } : context,
    ),
    pair: enqueueActions(({ context, enqueue }) => {
      const [worker, ...idleWorkers] = context.idleWorkers;
      if (worker === undefined) return;
      const turn = take(context.rotation);
      if (turn === undefined) return;
      enqueue.assign({ rotation: turn.rotation, idleWorkers });
      enqueue.sendTo(turn.job, { type: "target.taken" });
      enqueue.sendTo(worker, { type: "worker.take", job: turn.job, jobId: turn.job.id });
    }),
    stopJob: stopChild(({ event }) => (event.type === "job.drop" ? event.job : "")),
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
        "job.ready": { actions: ["enterRotation", "pair"] },
        "job.left": { actions: "leaveRotation" },
        "worker.idle": { actions: ["enlistWorker", "pair"] },
        "scheduler.close": "closed",
      },
    },
    closed: {
      on: { "job.drop": { actions: "stopJob" } },
    },
  },
});
