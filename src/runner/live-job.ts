import type { Actor } from "xstate";
import type { Job, JobStatus } from "../job.js";
import type { JobContext, jobMachine } from "../machines/job-machine.js";
import type { WorkerEvent } from "../machines/worker-machine.js";
import type { Start, StartRequest, TargetOutcome } from "../store/batch-store.js";
import type { Caller } from "../target.js";

/** What a worker or the job itself is told of the write of an ending. */
export type SavedEvent = Extract<WorkerEvent, { type: "target.stored" | "target.deferred" | "target.unsaved" }>;

/** The target of a job that is under way, from its start until its outcome is stored. */
export interface Flight {
  readonly index: number;
  readonly attempt: number;
  readonly url: string;
  readonly options: object;
  readonly startedAtMs: number;
  ending?: Ending;
  /** Counted by the inflight gauge. */
  counted: boolean;
  /** Its fetch has closed the runner, and is waited for no more. */
  closedFromInside?: boolean;
}

export type Ending =
  | { kind: "over"; outcome: TargetOutcome; thrown: unknown; durationMs: number; resultBytes: number }
  /** `asked`: it wants to be tried again; else closing the runner cut it off, or came before its fetch. */
  | { kind: "later"; dueMs: number; asked: boolean; unfetched?: boolean };

/** The answer to a start that was stored together with the target before it. */
export interface Begun {
  readonly request: StartRequest;
  readonly start: Start;
}

/** What the runner keeps of a live job beside its actor: what belongs in no event and no snapshot. */
export interface LiveJob {
  readonly id: string;
  readonly caller: Caller;
  readonly callerName: string;
  readonly callerClass: string;
  readonly createdAt: number;
  readonly submittedMs: number;
  readonly actor: Actor<typeof jobMachine>;
  flight?: Flight | undefined;
  /** The write of its flight's ending and what follows that, while it is being tried. */
  saving?: Promise<SavedEvent> | undefined;
  /** Whether it, or its worker, has stored another target right before, with no turn of the event loop since. */
  justStored: boolean;
  /** The start of its next target, where it was stored together with a target of whichever job had the turn before. */
  begun?: Begun | undefined;
  /** Since when its present target has been answering that it wants to be tried later. */
  deferredSinceMs?: number | undefined;
  /** Since when the store has been refusing its writes. */
  refusedSinceMs?: number | undefined;
  goesOnFromMemory: boolean;
  /** Outcomes that are counted but that the store would not take; they go along with the next write. */
  unsaved: TargetOutcome[];
}

export function countsOf(job: LiveJob): Pick<JobContext, "targetsDone" | "targetsFailed" | "targetsTotal"> {
  return job.actor.getSnapshot().context;
}

/** Whether a job has another target to be started after the one in flight. */
export function hasMoreTargets(job: LiveJob): boolean {
  const { targetsDone, targetsTotal } = countsOf(job);
  return targetsDone + 1 < targetsTotal && !isDraining(job);
}

/** Cancelled, with a target still under way. */
export function isDraining(job: LiveJob): boolean {
  return job.actor.getSnapshot().matches("draining");
}

/** The job as its rows say, from memory. */
export function jobNow(job: LiveJob): Job {
  const { value, context } = job.actor.getSnapshot();
  const state = typeof value === "string" ? value : (Object.keys(value)[0] as string);
  return {
    id: job.id,
    caller: job.callerName,
    callerClass: job.callerClass,
    status: (state === "draining" ? "cancelled" : state) as JobStatus,
    error: "",
    targetsTotal: context.targetsTotal,
    targetsDone: context.targetsDone,
    targetsFailed: context.targetsFailed,
    createdAt: job.createdAt,
  };
}
