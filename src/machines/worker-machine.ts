import { type ActorRef, assign, type Snapshot, sendTo, setup } from "xstate";
import type { JobEvent, JobRef } from "./job-machine.js";

/** A turn to take, or what an effect answers. `target.faulted`: it failed without a fetch. */
export type WorkerEvent =
  | { type: "worker.take"; job: JobRef; jobId: string }
  | { type: "target.started"; index: number; attempt: number; first: boolean }
  | { type: "target.faulted" }
  | { type: "fetch.settled"; outcome: "over" | "later" }
  | Extract<
      JobEvent,
      { type: "target.refused" | "target.unstarted" | "target.stored" | "target.deferred" | "target.unsaved" }
    >;

export type WorkerRef = ActorRef<Snapshot<unknown>, WorkerEvent>;

export interface WorkerContext {
  job: JobRef | undefined;
  jobId: string;
  index: number;
  attempt: number;
}

/**
 * One worker: it takes a job's next target, has it marked as started, fetches it, has the outcome stored, and is idle again.
 *
 * - `starting`, `storing` and `deferring` persist; `fetching` runs the injected fetch. Each effect answers with one event.
 * - Whatever ends a turn is passed on to the job, which is told nothing before it is stored.
 * - A write that the store refuses ends the turn as well: the job tries it again, and the worker is free.
 *
 * Invariant: one target at a time; every turn ends in `idle`.
 */
export const workerMachine = setup({
  types: {
    context: {} as WorkerContext,
    events: {} as WorkerEvent,
  },
  actions: {
    /** Lets the event loop turn, then tells the scheduler `worker.idle`. */
    announceIdle: () => {},
    /** Answers `target.started`, `target.refused`, `target.unstarted` or `target.faulted`. */
    startTarget: () => {},
    /** Answers `fetch.settled`. */
    fetchTarget: () => {},
    /** Answers `target.stored` or `target.unsaved`. */
    storeTarget: () => {},
    /** Answers `target.deferred` or `target.unsaved`. */
    deferTarget: () => {},
    takeTurn: assign(({ context, event }) =>
      event.type === "worker.take" ? { job: event.job, jobId: event.jobId } : context,
    ),
    noteTarget: assign(({ context, event }) =>
      event.type === "target.started" ? { index: event.index, attempt: event.attempt } : context,
    ),
    endTurn: assign({ job: undefined, jobId: "", index: -1, attempt: 0 }),
    tellJob: sendTo(
      ({ context }) => context.job as JobRef,
      ({ event }) => event as JobEvent,
    ),
  },
  guards: {
    isFirstOfJob: ({ event }) => event.type === "target.started" && event.first,
    isRetryLater: ({ event }) => event.type === "fetch.settled" && event.outcome === "later",
  },
}).createMachine({
  id: "worker",
  context: { job: undefined, jobId: "", index: -1, attempt: 0 },
  initial: "idle",
  states: {
    idle: {
      entry: ["announceIdle", "endTurn"],
      on: { "worker.take": { target: "starting", actions: "takeTurn" } },
    },
    starting: {
      entry: "startTarget",
      on: {
        "target.started": [
          { guard: "isFirstOfJob", target: "fetching", actions: ["noteTarget", "tellJob"] },
          { target: "fetching", actions: "noteTarget" },
        ],
        "target.faulted": "storing",
        "target.refused": { target: "idle", actions: "tellJob" },
        "target.unstarted": { target: "idle", actions: "tellJob" },
      },
    },
    fetching: {
      entry: "fetchTarget",
      on: {
        "fetch.settled": [{ guard: "isRetryLater", target: "deferring" }, { target: "storing" }],
      },
    },
    storing: {
      entry: "storeTarget",
      on: {
        "target.stored": { target: "idle", actions: "tellJob" },
        "target.unsaved": { target: "idle", actions: "tellJob" },
      },
    },
    deferring: {
      entry: "deferTarget",
      on: {
        "target.deferred": { target: "idle", actions: "tellJob" },
        "target.unsaved": { target: "idle", actions: "tellJob" },
      },
    },
  },
});
