import type { LiveJob } from "./live-job.js";
import { storeErrorCode } from "./log.js";
import type { Runtime } from "./runtime.js";

/** A write that the store took, or refused: to be tried again, or no more because its time is up. */
export type Written<T> = { kind: "written"; answer: T } | { kind: "refused" } | { kind: "given up" };

/**
 * Tries a write of a running job (R8). A store that refuses is tried again within `retryForMs` of its first refusal;
 * after that each further write of the job gets one try, until one is taken. Logs the first refusal and the giving up.
 */
export async function tryWrite<T>(runtime: Runtime, job: LiveJob, write: () => Promise<T>): Promise<Written<T>> {
  try {
    const answer = await write();
    noteAccepted(job);
    return { kind: "written", answer };
  } catch (error) {
    return refused(runtime, job, storeErrorCode(error));
  }
}

/** Notes that the store takes the writes of a job. */
export function noteAccepted(job: LiveJob): void {
  job.refusedSinceMs = undefined;
  job.goesOnFromMemory = false;
}

function refused({ clock, settings, log }: Runtime, job: LiveJob, code: string): Written<never> {
  const nowMs = clock.monotonic();
  if (job.refusedSinceMs === undefined) {
    job.refusedSinceMs = nowMs;
    log.warn("the store refused a write, which will be tried again", { jobId: job.id, code });
  }
  if (nowMs - job.refusedSinceMs <= settings.retryForMs) return { kind: "refused" };
  if (!job.goesOnFromMemory) {
    job.goesOnFromMemory = true;
    log.warn("the store keeps refusing, and the job goes on from memory", { jobId: job.id, code });
  }
  return { kind: "given up" };
}
