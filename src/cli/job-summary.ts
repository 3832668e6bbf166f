import { isLive, type Job } from "../job.js";
import { readResults } from "../runner/read-results.js";
import type { BatchStore } from "../store/batch-store.js";
import type { TargetStatus } from "../target.js";
import { durationText } from "./duration-text.js";
import { countsText, shortId, statusText } from "./job-text.js";
import { textTable } from "./text-table.js";

/** How one job of a run stands at its end; `elapsedMs` is undefined for a job that an earlier run did. */
export interface JobSummary {
  name: string;
  job: Job;
  elapsedMs: number | undefined;
  failed: TargetStatus<object>[];
}

/** Reads what the store has of a job at the end of its run; undefined where somebody removed it. */
export async function readSummary(
  store: BatchStore,
  id: string,
  about: Pick<JobSummary, "name" | "elapsedMs">,
): Promise<JobSummary | undefined> {
  const job = await store.findJob(id);
  if (job === undefined) return undefined;
  const failed: TargetStatus<object>[] = [];
  for await (const target of readResults<object>(store, id)) if (target.status === "failed") failed.push(target);
  return { ...about, job, failed };
}

/** The table of a job: its counts and time, and each failed target with its error and hint. */
export function summaryTable({ name, job, elapsedMs, failed }: JobSummary, width?: number): string {
  const status = isLive(job.status) ? "stopped" : statusText(job);
  const time = elapsedMs === undefined ? "by an earlier run" : durationText(elapsedMs);
  const title = [`${name}: ${status}`, countsText(job), time, `job ${shortId(job.id)}`].join(" | ");
  const rows = failed.map(({ index, url, error, hint }) => [index, url, error, hint]);
  return textTable(rows.length === 0 ? { title } : { title, head: ["index", "url", "error", "hint"], rows }, width);
}
