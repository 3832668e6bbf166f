import type { Job, JobStatus } from "../job.js";
import { countsText, createdText, shortId, statusText } from "./job-text.js";
import { withExistingStore } from "./open-store.js";
import { textTable } from "./text-table.js";

export interface ListOptions {
  db: string;
  caller?: string;
  status?: JobStatus;
  limit: number;
  json?: boolean;
}

/** `fairbatch list`: the jobs in a store, newest first. */
export function listCommand({ db, json, limit, ...filter }: ListOptions): Promise<number> {
  return withExistingStore(db, async (store) => {
    const found = await store.list({ ...filter, limit: limit + 1 });
    const jobs = found.slice(0, limit);
    if (json) for (const job of jobs) process.stdout.write(`${JSON.stringify(job)}\n`);
    else if (jobs.length === 0) process.stderr.write("no jobs\n");
    else process.stdout.write(`${jobsTable(jobs)}\n`);
    if (found.length > limit) process.stderr.write("and more: --limit says how many are shown\n");
    return 0;
  });
}

function jobsTable(jobs: readonly Job[]): string {
  const head = ["job", "status", "caller", "targets", "submitted"];
  const rows = jobs.map((job) => [shortId(job.id), statusText(job), job.caller, countsText(job), createdText(job)]);
  return textTable({ head, rows }, process.stdout.columns);
}
