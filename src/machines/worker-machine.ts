import { type ActorRef, type AnyActorRef, assign, type Snapshot, sendTo, setup } from "xstate";
import type { JobEvent, JobRef } from "./job-machine.js";

/** A job's turn, as the scheduler gives it to a worker. */
export interface Turn {
  place: number;
  jobId: string;
  job: JobRef;
}

/**
 * What the scheduler says, or what an effect answers. `target.faulted`: it failed without a fetch. `hasMore`: its job has
 * more targets. `begun`: the next target was started together with the storing of this one.
 */
export type WorkerEvent =
  | ({ type: "worker.take" } & Turn)
  | { type: "target.started"; index: number; attempt: number; first: boolean }
  | { type: "target.faulted"; hasMore: boolean }
  | { type: "fetch.settled"; outcome: "over" | "later"; hasMore: boolean }
  | (Extract<JobEvent, { type: "target.stored" }> & { begun?: { index: number; attempt: number } | undefined })
  | Extract<JobEvent, { type: "target.refused" | "target.unstarted" | "target.deferred" | "target.unsaved" }>;

export type WorkerRef = ActorRef<Snapshot<unknown>, WorkerEvent>;

export interface WorkerContext {
  job: JobRef | undefined;
  jobId: string;
  place: number;
  index: number;
  attempt: number;
  /** The turn to take after this one. */
  next: Turn | undefined;
}

const noTarget = { index: -1, attempt: 0 };
const noTurn: WorkerContext = { job: undefined, jobId: "", place: -1, ...noTarget, next: undefined };

/**
 * One worker: it takes a job's next target, has it marked as started, fetches it, has the outcome stored, and goes on.
 *
 * - `starting`, `storing` and `deferring` persist; `fetching` runs the injected fetch. Each effect answers with one event.
 * - In `storing` it asks for its next turn at once, so that the store can start the one together with the other.
 * - Whatever ends a turn is passed on to the job, which is told nothing before it is stored.
 * - A write that the store refuses ends the turn as well: the job tries it again, and the worker is free.
 *
 * Invariant: one target at a time; a turn ends in the next one or in `idle`.
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
    /** Answers `fetch.settled`, after the event loop has turned. */
    fetchTarget: () => {},
    /** Answers `target.stored` or `target.unsaved`. */
    storeTarget: () => {},
    /** Answers `target.deferred` or `target.unsaved`. */
    deferTarget: () => {},
    /** Answered by the scheduler with `worker.take`, if there is a turn to take. */
    askForTurn: sendTo(scheduler, ({ context, event, self }) => ({
      type: "worker.asking",
      worker: self,
      turn: { place: context.place, jobId: context.jobId, job: context.job as JobRef },
      hasMore: "hasMore" in event && event.hasMore,
    })),
    takeTurn: assign(({ context, event }) => (event.type === "worker.take" ? turnOf(event) : context)),
    noteNext: assign(({ event }) => ({ next: event.type === "worker.take" ? turnOf(event) : undefined })),
    takeNext: assign(({ context, event }) => {
      const { place, jobId, job } = context.next as Turn;
      const { index, attempt } = (event.type === "target.stored" && event.begun) || noTarget;
      return { place, jobId, job, index, attempt, next: undefined };
    }),
    noteTarget: assign(({ context, event }) =>
      event.type === "target.started" ? { index: event.index, attempt: event.attempt } : context,
    ),
    endTurn: assign(noTurn),
    tellJob: sendTo(
      ({ context }) => context.job as JobRef,
      ({ event }) => event as JobEvent,
    ),
  },
  guards: {
    isFirstOfJob: ({ event }) => event.type === "target.started" && event.first,
    isRetryLater: ({ event }) => event.type === "fetch.settled" && event.outcome === "later",
    isNextBegun: ({ event }) => event.type === "target.stored" && event.begun !== undefined,
    /** A job that is not taken again has ended meanwhile, or has its outcome still to be stored. */
    hasNext: ({ context, event }) =>
      context.next !== undefined && (context.next.job !== context.job || ("again" in event && event.again)),
  },
}).createMachine({
  id: "worker",
  context: noTurn,
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
      entry: ["askForTurn", "storeTarget"],
      on: {
        "worker.take": { actions: "noteNext" },
        "target.stored": [
          { guard: "isNextBegun", target: "fetching", actions: ["tellJob", "takeNext"] },
          { guard: "hasNext", target: "starting", actions: ["tellJob", "takeNext"] },
          { target: "idle", actions: "tellJob" },
        ],
        "target.unsaved": [
          { guard: "hasNext", target: "starting", actions: ["tellJob", "takeNext"] },
          { target: "idle", actions: "tellJob" },
        ],
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

/** The parent; a worker on its own, as in a test or an editor, tells itself, which does nothing. */
function scheduler({ self }: { self: AnyActorRef }): AnyActorRef {
  return self._parent ?? self;
}

/** A turn alone, of an event that carries one. */
export function turnOf({ place, jobId, job }: Turn): Turn {
  return { place, jobId, job };
}
