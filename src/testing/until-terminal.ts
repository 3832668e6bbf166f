import { isLive, type Job } from "../job.js";
import type { BatchRunner } from "../runner/batch-runner.js";

/** Resolves to the job once it is done, partial, failed or cancelled, or to undefined for an unknown id. Rejects where the runner closes before. */
export async function untilTerminal(runner: Pick<BatchRunner, "watch">, id: string): Promise<Job | undefined> {
  let last: Job | undefined;
  for await (const job of runner.watch(id)) last = job;
  if (last !== undefined && isLive(last.status))
    throw new Error(`the runner was closed while job ${id} was ${last.status}`);
  return last;
}
