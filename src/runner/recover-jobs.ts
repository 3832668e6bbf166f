import type { LeftJob, ResumedJob } from "../store/batch-store.js";
import type { Caller } from "../target.js";
import type { Actors } from "./actors.js";
import { addLiveJob } from "./add-live-job.js";
import type { LiveJob } from "./live-job.js";
import type { Runtime } from "./runtime.js";

export type Resume = (job: LeftJob) => unknown;

/** A job to take up again, with the caller that it has from now on. */
export interface Resumption extends ResumedJob {
  caller: Caller;
}

/** Puts right what a dead or closed runner left, and resolves to the jobs that `resume` found a caller for. */
export async function recoverJobs(runtime: Runtime, resume: Resume | undefined): Promise<Resumption[]> {
  const { hooks, log, store } = runtime;
  const left = resume === undefined ? [] : await store.left();
  const callers = resume === undefined ? new Map<string, Caller>() : await callersOf(resume, left);
  const { resumed, interrupted } = await store.recover(new Set(callers.keys()));
  for (const jobId of interrupted) {
    log.warn("job interrupted", { jobId, status: "failed" });
    hooks.job("failed");
  }
  const cancelled = new Set(left.map(({ id }) => id));
  for (const id of [...interrupted, ...resumed.map(({ job }) => job.id)]) cancelled.delete(id);
  announceCancelledMeanwhile(runtime, cancelled);
  return resumed.map((job) => ({ ...job, caller: callers.get(job.job.id) as Caller }));
}

/** Whoever cancels through the store while `resume` is asked finds an owner at work, whose hooks are to tell of it (R5). */
function announceCancelledMeanwhile({ hooks, log }: Runtime, jobIds: ReadonlySet<string>): void {
  for (const jobId of jobIds) {
    log.info("job ended", { jobId, status: "cancelled" });
    hooks.job("cancelled");
  }
}

async function callersOf(resume: Resume, left: readonly LeftJob[]): Promise<Map<string, Caller>> {
  const callers = new Map<string, Caller>();
  for (const job of left) {
    const caller = await callerOf(resume, job);
    if (caller !== undefined) callers.set(job.id, caller);
  }
  return callers;
}

/** Undefined for whatever is no caller: the job is then interrupted, as it is where nobody asks. */
async function callerOf(resume: Resume, job: LeftJob): Promise<Caller | undefined> {
  try {
    const caller = (await resume({ ...job })) as Caller | undefined;
    return typeof caller === "object" && typeof caller?.name === "string" ? caller : undefined;
  } catch {
    return undefined;
  }
}

/** Takes jobs up again where their rows stand, in submit order; their actors are still to be started. */
export function resumeJobs(runtime: Runtime, actors: Actors, resumptions: readonly Resumption[]): LiveJob[] {
  return resumptions.map((resumption) => {
    const { job, caller } = resumption;
    const { id, caller: callerName, callerClass, createdAt, status, targetsTotal, targetsDone, targetsFailed } = job;
    const { waitMs, ...times } = timesOf(runtime, resumption);
    const resumePoint = status === "running" ? { targetsDone, targetsFailed, waitMs } : undefined;
    const stored = { id, caller, callerName, callerClass, createdAt, ...times, targetsTotal, resumePoint };
    runtime.log.info("job resumed", { jobId: id, targets: targetsTotal - targetsDone });
    return addLiveJob(runtime, actors, stored);
  });
}

/** What rows say in wall time, on this process's monotonic clock. A wall clock that was set meanwhile stretches no wait beyond its window. */
function timesOf({ clock, settings }: Runtime, { job, retryAtMs, retrySinceMs }: ResumedJob) {
  const nowMs = clock.monotonic();
  const wallMs = clock.now();
  const sinceMs = (thenMs: number) => Math.max(0, wallMs - thenMs);
  const submittedMs = nowMs - sinceMs(job.createdAt * 1000);
  const deferredForMs = retrySinceMs === null ? 0 : sinceMs(retrySinceMs);
  const leftMs = Math.max(0, settings.retryForMs - deferredForMs);
  return {
    submittedMs,
    deferredSinceMs: retrySinceMs === null ? undefined : nowMs - deferredForMs,
    waitMs: retryAtMs === null ? 0 : Math.min(Math.max(0, retryAtMs - wallMs), leftMs),
  };
}
