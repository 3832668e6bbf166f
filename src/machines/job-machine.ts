import { type ActorRef, type AnyActorRef, assign, type Snapshot, sendTo, setup } from "xstate";
import { type EndStatus, endStatus } from "../job.js";

/**
 * A command (`job.cancel`: the row says cancelled already; `job.save`: the held write is to be tried now), or a fact that a
 * worker or the scheduler reports of this job's next target. `again`: the worker goes on with the target after it.
 */
export type JobEvent =
  | { type: "job.cancel" }
  | { type: "job.save" }
  | { type: "target.taken" }
  | { type: "target.started" }
  | { type: "target.refused" }
  | { type: "target.unstarted" }
  | { type: "target.stored"; failed: boolean; live: boolean; again?: boolean }
  | { type: "target.deferred"; waitMs: number; live: boolean }
  | { type: "target.unsaved" };

export type JobRef = ActorRef<Snapshot<unknown>, JobEvent>;

export interface JobInput {
  jobId: string;
  /** Its place in submit order, unique among the jobs of a runner. */
  place: number;
  targetsTotal: number;
  retryWaitMs: number;
  /** Where it goes on from, if an earlier runner left it running. */
  resumePoint?: ResumePoint | undefined;
}

/** What a job had stored when its runner died or closed, and how long its next target still waits to be tried again. */
export interface ResumePoint {
  targetsDone: number;
  targetsFailed: number;
  waitMs: number;
}

export interface JobContext extends Omit<JobInput, "resumePoint"> {
  targetsDone: number;
  targetsFailed: number;
  /** How long the present wait lasts. */
  waitMs: number;
  wasRunning: boolean;
}

const foundCancelled = {
  guard: "wasCancelled",
  target: "#job.cancelled",
  actions: ["countTarget", "leaveRotation", "announceCancelled"],
} as const;
const toNextTarget = { guard: "hasMoreTargets", target: "#job.running.ready", actions: "countTarget" } as const;
const allFailed = { guard: "endsFailed", target: "#job.failed", actions: "countTarget" } as const;

const saving = {
  initial: "pausing",
  states: {
    pausing: { after: { storeRetryWait: "writing" }, on: { "job.save": "writing" } },
    writing: { entry: "saveTarget", on: { "target.unsaved": "pausing" } },
  },
} as const;

/**
 * One live job. The row decides; this machine follows it, and is told of nothing before it is stored.
 *
 * - `entering` asks the row of a job that is taken up again where it stands; a new one is `queued`.
 * - `queued`: no target was started yet. `running`: at least one was. `ready` means that a worker may take the next target.
 * - `starting` and `inFlight`: a worker has the one target that is under way; `waiting`: it, or the store, is tried again later.
 * - `saving`: the target is over but the store refused the write; no worker is held meanwhile.
 * - `draining`: cancelled, with a target still under way. Then `cancelled`.
 *
 * Invariants: at most one target is under way; a target is counted once; each end is announced once.
 */
export const jobMachine = setup({
  types: {
    context: {} as JobContext,
    events: {} as JobEvent,
    input: {} as JobInput,
  },
  actions: {
    announceReady: sendTo(scheduler, ({ context, self }) => ({
      type: "job.ready",
      place: context.place,
      jobId: context.jobId,
      job: self,
    })),
    /** Also of a job that is being stored for, and stands in its place until it is ready. */
    leaveRotation: sendTo(scheduler, ({ context }) => ({ type: "job.left", place: context.place })),
    countTarget: assign(({ context, event }) => countedBy(context, event)),
    setRetryLater: assign(({ context, event }) => ({
      waitMs: event.type === "target.deferred" ? event.waitMs : context.retryWaitMs,
    })),
    setStoreRetry: assign(({ context }) => ({ waitMs: context.retryWaitMs })),
    /** Tries the held write again; answers with `target.stored`, `target.deferred` or `target.unsaved`. */
    saveTarget: () => {},
    announceCancelled: () => {},
    announceEnd: () => {},
  },
  guards: {
    /** The store found the job cancelled by somebody else. */
    wasCancelled: ({ event }) => "live" in event && !event.live,
    isTakenAgain: ({ event }) => event.type === "target.stored" && event.again === true,
    wasWaiting: ({ context }) => context.wasRunning && context.waitMs > 0,
    wasRunning: ({ context }) => context.wasRunning,
    hasMoreTargets: ({ context }) => context.targetsDone + 1 < context.targetsTotal,
    endsDone: ({ context, event }) => endAfter(context, event) === "done",
    endsPartial: ({ context, event }) => endAfter(context, event) === "partial",
    endsFailed: ({ context, event }) => endAfter(context, event) === "failed",
  },
  delays: {
    wait: ({ context }) => context.waitMs,
    storeRetryWait: ({ context }) => context.retryWaitMs,
  },
}).createMachine({
  id: "job",
  context: ({ input }) => contextOf(input),
  initial: "entering",
  states: {
    entering: {
      always: [
        { guard: "wasWaiting", target: "#job.running.waiting" },
        { guard: "wasRunning", target: "#job.running.ready" },
        { target: "queued" },
      ],
    },
    queued: {
      initial: "ready",
      states: {
        ready: {
          entry: "announceReady",
          on: {
            "target.taken": "starting",
            "job.cancel": { target: "#job.cancelled", actions: ["leaveRotation", "announceCancelled"] },
          },
        },
        starting: {
          on: {
            "target.started": "#job.running.inFlight",
            "target.unstarted": { target: "waiting", actions: "setStoreRetry" },
            "target.unsaved": { target: "#job.running.saving", actions: "leaveRotation" },
            "target.stored": [
              foundCancelled,
              { guard: "isTakenAgain", target: "#job.running.inFlight", actions: "countTarget" },
              toNextTarget,
              allFailed,
            ],
            "target.refused": { target: "#job.cancelled", actions: "announceCancelled" },
            "job.cancel": { target: "#job.draining", actions: ["leaveRotation", "announceCancelled"] },
          },
        },
        waiting: {
          after: { wait: "ready" },
          on: { "job.cancel": { target: "#job.cancelled", actions: "announceCancelled" } },
        },
      },
    },
    running: {
      initial: "inFlight",
      states: {
        ready: {
          entry: "announceReady",
          on: {
            "target.taken": "inFlight",
            "job.cancel": { target: "#job.cancelled", actions: ["leaveRotation", "announceCancelled"] },
          },
        },
        inFlight: {
          on: {
            "target.unstarted": { target: "waiting", actions: "setStoreRetry" },
            "target.unsaved": { target: "saving", actions: "leaveRotation" },
            "job.cancel": { target: "#job.draining", actions: ["leaveRotation", "announceCancelled"] },
          },
        },
        waiting: {
          after: { wait: "ready" },
          on: { "job.cancel": { target: "#job.cancelled", actions: "announceCancelled" } },
        },
        saving: {
          ...saving,
          on: { "job.cancel": { target: "#job.draining.saving", actions: "announceCancelled" } },
        },
      },
      on: {
        "target.stored": [
          foundCancelled,
          { guard: "isTakenAgain", actions: "countTarget" },
          toNextTarget,
          { guard: "endsDone", target: "#job.done", actions: "countTarget" },
          { guard: "endsPartial", target: "#job.partial", actions: "countTarget" },
          allFailed,
        ],
        "target.deferred": [
          { guard: "wasCancelled", target: "#job.cancelled", actions: "announceCancelled" },
          { target: "#job.running.waiting", actions: "setRetryLater" },
        ],
        "target.refused": { target: "#job.cancelled", actions: "announceCancelled" },
      },
    },
    draining: {
      initial: "inFlight",
      states: {
        inFlight: { on: { "target.unsaved": "saving" } },
        saving,
      },
      on: {
        "target.stored": [
          { guard: "isTakenAgain", actions: "countTarget" },
          { target: "cancelled", actions: "countTarget" },
        ],
        "target.deferred": "cancelled",
        "target.refused": "cancelled",
        "target.unstarted": "cancelled",
      },
    },
    done: { type: "final", entry: "announceEnd" },
    partial: { type: "final", entry: "announceEnd" },
    failed: { type: "final", entry: "announceEnd" },
    cancelled: { type: "final" },
  },
});

/** The parent; a job on its own, as in a test or an editor, tells itself, which does nothing. */
function scheduler({ self }: { self: AnyActorRef }): AnyActorRef {
  return self._parent ?? self;
}

function contextOf({ resumePoint, ...input }: JobInput): JobContext {
  const begun = { targetsDone: 0, targetsFailed: 0, waitMs: 0 };
  return { ...input, ...begun, ...resumePoint, wasRunning: resumePoint !== undefined };
}

type Counts = Pick<JobContext, "targetsDone" | "targetsFailed">;

function countedBy(context: JobContext, event: JobEvent): Counts {
  if (event.type !== "target.stored") return context;
  return {
    targetsDone: context.targetsDone + 1,
    targetsFailed: context.targetsFailed + (event.failed ? 1 : 0),
  };
}

function endAfter(context: JobContext, event: JobEvent): EndStatus {
  return endStatus(context.targetsTotal, countedBy(context, event).targetsFailed);
}
