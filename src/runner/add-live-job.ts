import type { JobLeft } from "../machines/job-machine.js";
import type { Actors } from "./actors.js";
import type { LiveJob } from "./live-job.js";
import type { Runtime } from "./runtime.js";

/** A job that its rows say is live; `left` where it goes on from there. */
type StoredJob = Pick<
  LiveJob,
  "id" | "caller" | "callerName" | "callerClass" | "createdAt" | "submittedMs" | "deferredSinceMs"
> & { targetsTotal: number; left?: JobLeft | undefined };

/** Gives a job that is stored its actor, which is still to be started, and counts it as live. */
export function addLiveJob(
  { gauges, jobs, settings, unannounced }: Runtime,
  actors: Actors,
  { targetsTotal, left, ...stored }: StoredJob,
): LiveJob {
  const { id } = stored;
  const actor = actors.createJob({ jobId: id, targetsTotal, retryWaitMs: settings.retryWaitMs, left });
  const job: LiveJob = { ...stored, actor, goesOnFromMemory: false, unsaved: [] };
  actor.subscribe({ complete: () => jobs.delete(id) });
  jobs.set(id, job);
  unannounced.add(id);
  gauges.addLive(1);
  return job;
}
