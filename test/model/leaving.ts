import { keepEnd } from "./late-ends.js";
import { endOf } from "./saving.js";
import { addLive, clearTimer, type LiveJob, type Runner } from "./world.js";

/** How a job leaves its runner. */

/** R4: once a job, and only now that its last target is stored. */
export function endByItself(runner: Runner, job: LiveJob): void {
  const { told, monoMs } = runner.world;
  told.push(`job ${endOf(job.total, job.failed)}`, `jobSeconds ${(monoMs - job.sinceMs) / 1000}`);
  forget(runner, job);
}

/** R5: once a job, by whomever it was cancelled. */
export function announceCancelled(runner: Runner, job: LiveJob): void {
  if (job.cancelled) return;
  job.cancelled = true;
  job.standing = false;
  addLive(runner, -1);
  runner.world.told.push("job cancelled");
}

export function forget(runner: Runner, job: LiveJob): void {
  clearTimer(runner.world, job.timer);
  job.state = "gone";
  runner.jobs.delete(job);
  if (job.unsaved.length === 0 || runner.phase === "closed") return;
  // R8: outcomes that were told from memory are stored, though the job makes no further write of its own.
  const { id: jobId, unsaved: outcomes, done: targetsDone, failed: targetsFailed } = job;
  runner.world.note("outcomes kept of a cancelled job");
  keepEnd(runner, { jobId, outcomes, targetsDone, targetsFailed, end: undefined });
}
