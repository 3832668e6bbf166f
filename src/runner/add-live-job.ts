import type { ResumePoint } from "../machines/job-machine.js";
import type { Actors } from "./actors.js";
import { keepEnd } from "./housekeeping.js";
import { countsOf, jobNow, type LiveJob } from "./live-job.js";
import type { Runtime } from "./runtime.js";

/** A job that its rows say is live; `resumePoint` where it goes on from there. */
type StoredJob = Pick<
  LiveJob,
  "id" | "caller" | "callerName" | "callerClass" | "createdAt" | "submittedMs" | "deferredSinceMs"
> & { targetsTotal: number; resumePoint?: ResumePoint | undefined };

/** Gives a job that is stored its actor, which is still to be started, and counts it as live. */
export function addLiveJob(
  runtime: Runtime,
  actors: Actors,
  { targetsTotal, resumePoint, ...stored }: StoredJob,
): LiveJob {
  const { gauges, jobs, settings, unannounced } = runtime;
  const { id } = stored;
  const actor = actors.createJob({ jobId: id, targetsTotal, retryWaitMs: settings.retryWaitMs, resumePoint });
  const job: LiveJob = { ...stored, actor, justStored: false, goesOnFromMemory: false, unsaved: [] };
  actor.subscribe({ complete: () => forgetJob(runtime, job) });
  jobs.set(id, job);
  unannounced.add(id);
  gauges.addLive(1);
  return job;
}

/** A job that is cancelled while the store has yet to take outcomes of it makes no further write that they could go along with. */
function forgetJob(runtime: Runtime, job: LiveJob): void {
  runtime.jobs.delete(job.id);
  if (job.unsaved.length === 0 || runtime.phase === "closed") return;
  const { targetsDone, targetsFailed } = countsOf(job);
  const request = { jobId: job.id, outcomes: job.unsaved, targetsDone, targetsFailed, end: undefined };
  keepEnd(runtime, { job: jobNow(job), request });
}
