import type { JobStatus } from "../job.js";
import type { FileRun } from "./file-run.js";
import { readSummary, summaryTable } from "./job-summary.js";
import type { RunJob } from "./submit-inputs.js";

/** Prints the table of each job; a quiet run, of those that are not done; `silent`, of none. Resolves to how each stands. */
export async function printSummaries(
  run: FileRun,
  jobs: readonly RunJob[],
  silent: boolean,
): Promise<(JobStatus | "removed")[]> {
  const width = process.stderr.isTTY ? process.stderr.columns : undefined;
  const statuses: (JobStatus | "removed")[] = [];
  for (const { id, name, reused } of jobs) {
    const elapsedMs = reused ? undefined : run.board.elapsedMs(id);
    const summary = await readSummary(run.store, id, { name, elapsedMs });
    const status = summary?.job.status ?? "removed";
    statuses.push(status);
    if (silent || (status === "done" && run.options.quiet)) continue;
    const text = summary === undefined ? `${name}: somebody removed the job` : summaryTable(summary, width);
    process.stderr.write(`${text}\n`);
  }
  return statuses;
}
