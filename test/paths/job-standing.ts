import { type AnyActorRef, initialTransition, type SnapshotFrom, transition } from "xstate";
import { type JobEvent, type JobRef, jobMachine, type ResumePoint } from "../../src/machines/job-machine.js";
import { type WorkerEvent, workerMachine } from "../../src/machines/worker-machine.js";
import type { JobRows } from "../support/job-rows.js";
import { stateName } from "../support/machine-actors.js";

export const RETRY_WAIT_MS = 1_000;
export const RETRY_FOR_MS = 1_000_000;
/** Once is too often, so that one death of a runner shows it. */
export const MAX_INTERRUPTED = 1;
/** How long a runner takes to die, and another to take its place. */
export const RESTART_MS = 1;
/** Longer than all that a walk lets go by while the other job's fetch is in flight. */
export const TARGET_TIMEOUT_MS = 100_000_000;

/** `begin`: its next target is started with the settling of the other job. */
type Write = "start" | "settle" | "defer" | "begin";
type Ending =
  | { kind: "over"; status: "done" | "failed"; error: string }
  | { kind: "later"; dueMs: number; unfetched?: boolean };
type Since = "no" | "within the window" | "past the window";

/** What there is to walk through; `plain` leaves out the troubles that a store, a row or somebody else may make. */
export interface Scope {
  readonly targetsTotal: number;
  readonly maxRestarts: number;
  readonly plain: boolean;
  /** No other job: the worker takes the job whenever that is ready, and goes on with it as it stores. */
  readonly alone: boolean;
}

/**
 * How the world stands with the job under test: what the pure machines say, and what the rows are to say beside them.
 * The worker is its job's only while it takes a turn on it, and idle to it otherwise.
 */
export interface Standing {
  readonly scope: Scope;
  readonly job: SnapshotFrom<typeof jobMachine>;
  readonly worker: SnapshotFrom<typeof workerMachine>;
  readonly rows: JobRows;
  /** The write that the store was asked for and has not answered. */
  readonly asked: Write | undefined;
  /** The answer to a write that is committed, which nobody was told of yet. */
  readonly answer: WorkerEvent | undefined;
  /** What the start of the next target came to, where that was committed with the settling of this one. */
  readonly nextStart: WorkerEvent | undefined;
  readonly ending: Ending | undefined;
  /** Outcomes that the store would not take, of targets that the job has counted. */
  readonly unsaved: readonly { index: number; text: string }[];
  readonly refusing: Since;
  /** Since when the present target has been asking to be tried later. */
  readonly deferredSinceMs: number | undefined;
  /** What the row of a target that was put back says of that. */
  readonly retry: { index: number; dueMs: number; sinceMs: number } | undefined;
  /** The targets whose rows cannot be read, and those that are started no more. */
  readonly broken: readonly number[];
  readonly interrupted: readonly number[];
  readonly restarts: number;
  /** The runner is closing, and ends with the last answer of the store. */
  readonly closing: boolean;
  readonly nowMs: number;
  /** Each hook, with the job's row as it was to be at that moment. */
  readonly told: readonly string[];
  /** The newest that a watch has got: after a terminal one, none. */
  readonly watched: string;
}

/** The machines on their own: what they would tell one another, the walk itself hands on. */
const aloneJob = jobMachine.provide({ actions: { announceReady: () => {}, leaveRotation: () => {} } });
const aloneWorker = workerMachine.provide({ actions: { tellJob: () => {}, askForTurn: () => {} } });
const jobStub = { id: "job" } as AnyActorRef as JobRef;

/** The world's own first move: a worker that is alone with the job takes it as soon as it is ready. */
export function pairedIfAlone(at: Standing): Standing {
  const isReady = /^(queued|running)\.ready$/.test(stateName(at.job));
  return at.scope.alone && !at.closing && isReady && stateName(at.worker) === "idle" ? takeTurn(at) : at;
}

export function submitted(scope: Scope): Standing {
  const { targetsTotal } = scope;
  const rows: JobRows = {
    job: { status: "queued", error: "", done: 0, failed: 0 },
    targets: Array.from({ length: targetsTotal }, () => "pending"),
  };
  return {
    scope,
    ...newActors(targetsTotal),
    rows,
    asked: undefined,
    answer: undefined,
    nextStart: undefined,
    ending: undefined,
    unsaved: [],
    refusing: "no",
    deferredSinceMs: undefined,
    retry: undefined,
    broken: [],
    interrupted: [],
    restarts: 0,
    closing: false,
    nowMs: 0,
    told: tell([], "job created", rows),
    watched: "queued 0 0",
  };
}

function newActors(targetsTotal: number, resumePoint?: ResumePoint): Pick<Standing, "job" | "worker"> {
  const input = { jobId: "j1", place: 1, targetsTotal, retryWaitMs: RETRY_WAIT_MS, resumePoint };
  return {
    job: initialTransition(aloneJob as typeof jobMachine, input)[0],
    worker: initialTransition(aloneWorker as typeof workerMachine)[0],
  };
}

/** The runner has died, and another has taken the job up again: what it knows is what the rows say. */
export function restarted(at: Standing): Standing {
  const { rows, retry } = at;
  const nowMs = at.nowMs + RESTART_MS;
  const { status, done, failed } = rows.job!;
  const kept = retry?.index === done ? retry : undefined;
  const dueMs = rows.targets[done] === "running" ? nowMs : (kept?.dueMs ?? nowMs);
  const windowLeftMs = Math.max(0, RETRY_FOR_MS - (nowMs - (kept?.sinceMs ?? nowMs)));
  const waitMs = Math.min(Math.max(0, dueMs - nowMs), windowLeftMs);
  const resumePoint = status === "running" ? { targetsDone: done, targetsFailed: failed, waitMs } : undefined;
  const running = rows.targets.flatMap((target, index) => (target === "running" ? [index] : []));
  const actors = newActors(rows.targets.length, resumePoint);
  return {
    ...at,
    ...actors,
    ...{
      nowMs,
      asked: undefined,
      answer: undefined,
      nextStart: undefined,
      ending: undefined,
      unsaved: [],
      refusing: "no",
    },
    rows: { ...rows, targets: rows.targets.map((target) => (target === "running" ? "pending" : target)) },
    deferredSinceMs: kept?.sinceMs,
    interrupted: [...new Set([...at.interrupted, ...running])],
    restarts: at.restarts + 1,
    watched: watchedOf(actors.job),
  };
}

/** Whether a target that asks once more to be tried later has been doing so for too long. */
export function isWindowOver({ deferredSinceMs, nowMs }: Standing): boolean {
  return deferredSinceMs !== undefined && nowMs - deferredSinceMs > RETRY_FOR_MS;
}

export function canRestart({ rows, restarts, scope, closing }: Standing): boolean {
  return !closing && restarts < scope.maxRestarts && (rows.job?.status === "queued" || rows.job?.status === "running");
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

/** Outcomes that the store would not take are stored with the next start: a settling that a worker asks for as it starts. */
export function isCatchingUp({ asked, worker }: Standing): boolean {
  return asked === "settle" && stateName(worker) === "starting";
}

const WRITE_OF_EFFECT = { startTarget: "start", storeTarget: "settle", deferTarget: "defer" } as const;

/** The job is told of it where the worker's definition says so. */
export function tellWorker(at: Standing, event: WorkerEvent): Standing {
  const [worker, actions] = transition(aloneWorker as typeof workerMachine, at.worker, event);
  let after: Standing = { ...at, worker };
  let isAsking = false;
  for (const { type } of actions) {
    if (type === "tellJob") after = tellJob(after, event as JobEvent);
    if (type === "askForTurn") isAsking = at.scope.alone && !at.closing && "hasMore" in event && event.hasMore;
    const asked = WRITE_OF_EFFECT[type as keyof typeof WRITE_OF_EFFECT];
    if (asked === "start" && at.unsaved.length > 0) after = { ...after, asked: "settle" };
    else if (asked !== undefined) after = { ...after, asked };
  }
  return isAsking ? tellWorker(after, oneMoreTurn) : after;
}

const oneMoreTurn: WorkerEvent = { type: "worker.take", place: 1, job: jobStub, jobId: "j1" };

/** Whether the job has another target after the one in flight, and is not cancelled. */
export function hasMore({ job }: Standing): boolean {
  return job.context.targetsDone + 1 < job.context.targetsTotal && !stateName(job).startsWith("draining");
}

export function takeTurn(at: Standing): Standing {
  return tellWorker(tellJob(at, { type: "target.taken" }), oneMoreTurn);
}

/** Whoever asked for the write hears of it: the worker, or the job that tries it again by itself. */
export function tellAsker(at: Standing, event: WorkerEvent): Standing {
  return stateName(at.worker) === "idle" ? tellJob(at, event as JobEvent) : tellWorker(at, event);
}

export function isOver({ job }: Standing): boolean {
  return job.status === "done";
}

/** What tells two standings of a walk apart; what only a restart brings to light does not, where none is to come. */
export function standingKey(at: Standing): string {
  const { job, worker, rows, asked, answer, ending, retry } = at;
  const live = answer !== undefined && "live" in answer && answer.live;
  const atRestart = canRestart(at) && [
    [rows.job?.done, rows.targets],
    retry && [retry.index, retry.dueMs > at.nowMs + RESTART_MS, at.nowMs - retry.sinceMs > RETRY_FOR_MS],
  ];
  return JSON.stringify([
    [stateName(job), stateName(worker), job.context.targetsDone, job.context.targetsFailed],
    [rows.job?.status, asked, answer?.type, live, ending?.kind === "over" ? ending.status : ending?.kind],
    [at.unsaved.length, at.refusing, at.deferredSinceMs !== undefined, isWindowOver(at)],
    [at.nextStart?.type, at.worker.context.next !== undefined, ending?.kind === "later" && ending.unfetched],
    [at.broken, at.interrupted, at.restarts, at.closing, atRestart],
  ]);
}

/** Moves that count as the same in a short run: whatever the windows, the rows and the held outcomes are. */
export function moveLabel(
  { job, worker, answer, nextStart, asked, closing }: Standing,
  { name }: { name: string },
): string {
  return [
    stateName(job),
    job.context.targetsDone,
    stateName(worker),
    answer?.type ?? "",
    nextStart?.type,
    asked === "begin",
    closing,
    name,
  ].join(", ");
}
