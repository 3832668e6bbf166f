import { createActor, type InspectionEvent, type Observer } from "xstate";
import { callGuarded } from "../guard.js";
import { endStatus } from "../job.js";
import { type JobEvent, type JobInput, jobMachine } from "../machines/job-machine.js";
import { type SchedulerEvent, schedulerMachine } from "../machines/scheduler-machine.js";
import { type WorkerContext, type WorkerEvent, workerMachine } from "../machines/worker-machine.js";
import { keepActionExecutor } from "./action-executor.js";
import { indexTimers } from "./actor-timers.js";
import { announceCancelled, announceEnd } from "./announce.js";
import { fetchTarget } from "./fetch-target.js";
import type { LiveJob } from "./live-job.js";
import type { Runtime } from "./runtime.js";
import { saveTarget } from "./save-target.js";
import { startTarget } from "./start-target.js";

export type Inspect = Observer<InspectionEvent> | ((event: InspectionEvent) => void);
export type Actors = ReturnType<typeof startActors>;

/** Starts the actor system of a runner: the machines, with their effects wired to the store, the fetch and the hooks. */
export function startActors(runtime: Runtime, inspect: Inspect | undefined) {
  const worker = keepActionExecutor(workerWithEffects(runtime, (event) => scheduler.send(event)));
  const job = keepActionExecutor(jobWithEffects(runtime));
  const scheduler = createActor(keepActionExecutor(schedulerMachine.provide({ actors: { worker } })), {
    input: { workers: runtime.settings.workers },
    clock: runtime.clock,
    ...(inspect === undefined ? {} : { inspect: guardedInspect(inspect) }),
  });
  indexTimers(scheduler.system);
  let nextPlace = 0;

  return {
    start: () => void scheduler.start(),
    /** All of one actor id: xstate remembers for ever each kind of event it has seen, and an id is part of the done event's. */
    createJob: (input: Omit<JobInput, "place">) =>
      createActor(job, { id: "job", parent: scheduler, input: { ...input, place: nextPlace++ } }),
    /** Gives nobody a turn any more. */
    close: () => scheduler.send({ type: "scheduler.close" }),
    /** Ends every actor, and with them their timers. */
    stop() {
      for (const { actor } of runtime.jobs.values()) scheduler.send({ type: "job.drop", job: actor });
      scheduler.stop();
    },
  };
}

function workerWithEffects(runtime: Runtime, tellScheduler: (event: SchedulerEvent) => void) {
  return workerMachine.provide({
    actions: {
      announceIdle({ context, self }) {
        runtime.busyJobs.delete(context.jobId);
        // Without this pause, instant fetches would never let the host's timers and sockets have a turn (R2).
        setImmediate(() => {
          if (runtime.phase !== "closed") tellScheduler({ type: "worker.idle", worker: self });
        });
      },
      startTarget({ context, self }) {
        runtime.busyJobs.add(context.jobId);
        void answer(runtime, context.jobId, self, startTarget, { type: "target.unstarted" });
      },
      fetchTarget({ context, self }) {
        const fallback = { type: "fetch.settled", outcome: "over", hasMore: false } as const;
        void answer<WorkerEvent>(runtime, context.jobId, self, fetchTarget, fallback);
      },
      storeTarget({ context: { jobId }, self }) {
        let next: LiveJob | undefined;
        const store = (_: Runtime, job: LiveJob) => {
          next = jobOfNext(runtime, self.getSnapshot().context);
          // Before the turn of this job ends, so that closing finds no moment in which the worker has none.
          if (next !== undefined) runtime.busyJobs.add(next.id);
          return saveTarget(runtime, job, next);
        };
        const stored = () => {
          if (next !== undefined && next.id !== jobId) runtime.busyJobs.delete(jobId);
        };
        void answer<WorkerEvent>(runtime, jobId, self, store, { type: "target.unsaved" }, stored);
      },
      deferTarget({ context, self }) {
        void answer<WorkerEvent>(runtime, context.jobId, self, saveTarget, { type: "target.unsaved" });
      },
    },
  });
}

function jobWithEffects(runtime: Runtime) {
  return jobMachine.provide({
    actions: {
      saveTarget({ context: { jobId }, self }) {
        // Closing waits for it, as for a worker's turn: what is stored is told.
        runtime.busyJobs.add(jobId);
        const tried = () => runtime.busyJobs.delete(jobId);
        void answer(runtime, jobId, self, saveTarget, { type: "target.unsaved" }, tried);
      },
      announceCancelled: ({ context }) => announceCancelled(runtime, context.jobId),
      announceEnd: ({ context }) =>
        announceEnd(runtime, context.jobId, endStatus(context.targetsTotal, context.targetsFailed)),
    },
  });
}

function jobOfNext({ jobs }: Runtime, { next }: WorkerContext): LiveJob | undefined {
  return next && jobs.get(next.jobId);
}

/**
 * Runs an effect, calls `answered`, and sends what it answers; the fallback stands in where the job is gone, or where the
 * effect itself failed.
 */
async function answer<E extends WorkerEvent | JobEvent>(
  runtime: Runtime,
  jobId: string,
  asker: { send(event: E): void; getSnapshot(): { status: string } },
  effect: (runtime: Runtime, job: LiveJob) => Promise<E>,
  fallback: E,
  answered = () => {},
): Promise<void> {
  // Actors first hear of one another: the job that its target is stored, or of its end (R4), the worker whose turn is next.
  await undefined;
  const job = runtime.jobs.get(jobId);
  let event = fallback;
  try {
    if (job !== undefined) event = await effect(runtime, job);
  } catch {
    runtime.log.warn("an effect failed", { jobId });
  }
  // Before it is sent, since that may give the job its next turn at once, which is another thing to wait for.
  answered();
  // A job that is cancelled while its write is tried may ask for it once more, and end with the first answer.
  if (runtime.phase !== "closed" && asker.getSnapshot().status === "active") asker.send(event);
}

function guardedInspect(inspect: Inspect): (event: InspectionEvent) => void {
  return (event) => callGuarded(() => (typeof inspect === "function" ? inspect(event) : inspect.next?.(event)));
}
