import type { EndStatus } from "../job.js";
import type { Runtime } from "./runtime.js";

/** Tells that a job ended by itself, once it is stored (R4). Its gauges were told with its last target. */
export function announceEnd(runtime: Runtime, jobId: string, status: EndStatus): void {
  const { clock, hooks, jobs, log, unannounced } = runtime;
  const job = jobs.get(jobId);
  if (job === undefined) return;
  log.info("job ended", { jobId, status });
  hooks.job(status);
  hooks.jobSeconds(Math.max(0, (clock.monotonic() - job.submittedMs) / 1000));
  unannounced.delete(jobId);
}

/** Tells that a job was cancelled, by this runner or by somebody else (R5). */
export function announceCancelled(runtime: Runtime, jobId: string): void {
  const { gauges, hooks, log, unannounced } = runtime;
  gauges.addLive(-1);
  log.info("job ended", { jobId, status: "cancelled" });
  hooks.job("cancelled");
  unannounced.delete(jobId);
}
