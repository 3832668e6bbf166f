import { type AnyActorRef, initialTransition, type SnapshotFrom, transition } from "xstate";
import { type JobEvent, type JobRef, jobMachine } from "../../src/machines/job-machine.js";
import { type WorkerEvent, workerMachine } from "../../src/machines/worker-machine.js";
import type { JobRows } from "../support/job-rows.js";
import { stateName } from "../support/machine-actors.js";

export const RETRY_WAIT_MS = 1_000;
export const RETRY_FOR_MS = 1_000_000;
/** Longer than all that a walk lets go by while the other job's fetch is in flight. */
export const TARGET_TIMEOUT_MS = 100_000_000;

type Write = "start" | "settle" | "defer";
type Ending = { kind: "over"; status: "done" | "failed"; error: string } | { kind: "later"; dueMs: number };
type Since = "no" | "within the window" | "past the window";

/**
 * How the world stands with the job under test: what the pure machines say, and what the rows are to say beside them.
 * The worker is its job's only while it takes a turn on it, and idle to it otherwise.
 */
export interface Standing {
  readonly job: SnapshotFrom<typeof jobMachine>;
  readonly worker: SnapshotFrom<typeof workerMachine>;
  readonly rows: JobRows;
  /** The write that the store was asked for and has not answered. */
  readonly asked: Write | undefined;
  /** The answer to a write that is committed, which nobody was told of yet. */
  readonly answer: WorkerEvent | undefined;
  readonly ending: Ending | undefined;
  /** Outcomes that the store would not take, of targets that the job has counted. */
  readonly unsaved: readonly { index: number; text: string }[];
  readonly refusing: Since;
  readonly deferring: Since;
  /** The next target's row cannot be read. */
  readonly broken: boolean;
  readonly nowMs: number;
  /** Each hook, with the job's row as it was to be at that moment. */
  readonly told: readonly string[];
  /** The newest that a watch has got: after a terminal one, none. */
  readonly watched: string;
}

/** The machines on their own: what they would tell one another, the walk itself hands on. */
const aloneJob = jobMachine.provide({ actions: { announceReady: () => {}, leaveRotation: () => {} } });
const aloneWorker = workerMachine.provide({ actions: { tellJob: () => {} } });
const jobStub = { id: "job" } as AnyActorRef as JobRef;

export function submitted(targetsTotal: number): Standing {
  const input = { jobId: "j1", place: 1, targetsTotal, retryWaitMs: RETRY_WAIT_MS };
  const rows: JobRows = {
    job: { status: "queued", error: "", done: 0, failed: 0 },
    targets: Array.from({ length: targetsTotal }, () => "pending"),
  };
  return {
    job: initialTransition(aloneJob as typeof jobMachine, input)[0],
    worker: initialTransition(aloneWorker as typeof workerMachine)[0],
    rows,
    asked: undefined,
    answer: undefined,
    ending: undefined,
    unsaved: [],
    refusing: "no",
    deferring: "no",
    broken: false,
    nowMs: 0,
    told: tell([], "job created", rows),
    watched: "queued 0 0",
  };
}

/** A hook's line, with what the job's row says. */
export function tell(told: readonly string[], line: string, { job }: JobRows): string[] {
  return [...told, `${line} | ${job === undefined ? "no row" : `${job.status} ${job.done} ${job.failed}`}`];
}

export function tellJob(at: Standing, event: JobEvent): Standing {
  const [job, actions] = transition(aloneJob as typeof jobMachine, at.job, event);
  let { told, asked } = at;
  for (const { type } of actions) {
    if (type === "announceCancelled") told = tell(told, "job cancelled", at.rows);
    if (type === "announceEnd") told = tell(tell(told, `job ${job.value}`, at.rows), "jobSeconds", at.rows);
    // A write that is being tried is not asked for twice.
    if (type === "saveTarget") asked ??= at.ending?.kind === "later" ? "defer" : "settle";
  }
  return { ...at, job, told, asked, watched: /^(queued|running)/.test(at.watched) ? watchedOf(job) : at.watched };
}

function watchedOf(job: Standing["job"]): string {
  const [word] = stateName(job).split(".");
  return `${word === "draining" ? "cancelled" : word} ${job.context.targetsDone} ${job.context.targetsFailed}`;
}

const WRITE_OF_EFFECT = { startTarget: "start", storeTarget: "settle", deferTarget: "defer" } as const;

/** The job is told of it where the worker's definition says so. */
export function tellWorker(at: Standing, event: WorkerEvent): Standing {
  const [worker, actions] = transition(aloneWorker as typeof workerMachine, at.worker, event);
  let after: Standing = { ...at, worker };
  for (const { type } of actions) {
    if (type === "tellJob") after = tellJob(after, event as JobEvent);
    const asked = WRITE_OF_EFFECT[type as keyof typeof WRITE_OF_EFFECT];
    if (asked !== undefined) after = { ...after, asked };
  }
  return after;
}

export function takeTurn(at: Standing): Standing {
  return tellWorker(tellJob(at, { type: "target.taken" }), { type: "worker.take", job: jobStub, jobId: "j1" });
}

/** Whoever asked for the write hears of it: the worker, or the job that tries it again by itself. */
export function tellAsker(at: Standing, event: WorkerEvent): Standing {
  return stateName(at.worker) === "idle" ? tellJob(at, event as JobEvent) : tellWorker(at, event);
}

export function isOver({ job }: Standing): boolean {
  return job.status === "done";
}

/** What tells two standings of a walk apart. */
export function standingKey(at: Standing): string {
  const { job, worker, rows, asked, answer, ending, unsaved, refusing, deferring, broken } = at;
  return JSON.stringify([
    stateName(job),
    stateName(worker),
    [job.context.targetsDone, job.context.targetsFailed],
    [
      rows.job?.status,
      asked,
      answer?.type,
      answer !== undefined && "live" in answer && answer.live,
      ending?.kind,
      ending?.kind === "over" ? ending.status : "",
    ],
    [unsaved.length, refusing, deferring, broken],
  ]);
}

/** Moves that count as the same in a short run: whatever the windows, the rows and the held outcomes are. */
export function moveLabel({ job, worker, answer }: Standing, { name }: { name: string }): string {
  return [stateName(job), job.context.targetsDone, stateName(worker), answer?.type ?? "", name].join(", ");
}
