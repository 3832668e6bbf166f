import type { JobReport } from "../job.js";
import { findJob } from "./find-job.js";
import { countsText, createdText, statusText } from "./job-text.js";
import { withExistingStore } from "./open-store.js";
import { textTable } from "./text-table.js";

/** `fairbatch show`: one job and all of its targets, as they stood at one moment. */
export function showCommand(idBeginning: string, { db, json }: { db: string; json?: boolean }): Promise<number> {
  return withExistingStore(db, async (store) => {
    const { id } = await findJob(store, idBeginning);
    const report = await store.status<object>(id);
    if (report === undefined) return 1;
    if (json) writeJson(report);
    else process.stdout.write(`${reportTable(report)}\n`);
    return 0;
  });
}

/** Piece by piece, since all results together may be longer than a string can be. */
function writeJson({ job, targets }: JobReport<object>): void {
  process.stdout.write(`{"job":${JSON.stringify(job)},"targets":[`);
  for (const [position, target] of targets.entries()) {
    process.stdout.write((position === 0 ? "" : ",") + JSON.stringify(target));
  }
  process.stdout.write("]}\n");
}

function reportTable({ job, targets }: JobReport<object>): string {
  const title = `job ${job.id}: ${statusText(job)} | ${countsText(job)} | caller ${job.caller} | ${createdText(job)}`;
  const head = ["index", "status", "attempts", "url", "error", "hint"];
  const rows = targets.map(({ index, status, attempts, url, error, hint }) => [
    index,
    status,
    attempts,
    url,
    error,
    hint,
  ]);
  return textTable({ title, head, rows }, process.stdout.columns);
}
