import type { BatchStore } from "../store/batch-store.js";
import type { TargetStatus } from "../target.js";
import type { JobView, TargetPage, TargetView } from "./protocol.js";
import type { Revealable } from "./reveal.js";

/** What of a store an inspector reads. */
export type ReadableStore = Pick<BatchStore, "findJob" | "targetsAfter" | "timesAfter">;

const PAGE = 100;
/** Each row is read as a whole, and a result may be large. */
const PAGE_WITH_DATA = 20;
const TEXT_MAX = 20_000;

/** Reads a page of a job's targets, with the fields that are revealed. */
export function targetPages(store: ReadableStore, revealed: ReadonlySet<Revealable>) {
  if (typeof store?.targetsAfter !== "function") throw new TypeError("store must be what openSqliteStore resolves to");
  const needsRows = ["url", "options", "result", "error", "hint"].some((field) => revealed.has(field as Revealable));
  return async (jobId: string, afterIndex: number): Promise<TargetPage> => {
    const limit = needsRows ? PAGE_WITH_DATA : PAGE;
    const job = await store.findJob(jobId);
    const found = needsRows
      ? await store.targetsAfter<object>(jobId, afterIndex, limit)
      : await store.timesAfter(jobId, afterIndex, limit);
    const last = found.at(-1);
    return {
      ...(job === undefined ? {} : { job: storedJobView(job, revealed) }),
      targets: found.map((target) => targetView(target, revealed)),
      more: job !== undefined && last !== undefined && last.index + 1 < job.targetsTotal,
    };
  };
}

/** A job's row as it may be seen. */
export function storedJobView(
  { id, status, targetsTotal, targetsDone, targetsFailed, caller }: JobView & { caller: string },
  revealed: ReadonlySet<Revealable>,
): JobView {
  const shown = { id, status, targetsTotal, targetsDone, targetsFailed };
  return revealed.has("caller") ? { ...shown, caller } : shown;
}

type Row = Pick<TargetView, "index" | "status" | "attempts"> & Partial<TargetStatus<object>>;

function targetView(row: Row, revealed: ReadonlySet<Revealable>): TargetView {
  const { index, status, attempts, url = "", options = {}, result, error = "", hint = "" } = row;
  return {
    index,
    status,
    attempts,
    ...(revealed.has("url") ? { url: cut(url) } : {}),
    ...(revealed.has("options") ? { options: cut(JSON.stringify(options)) } : {}),
    ...(revealed.has("result") && result !== undefined ? { result: cut(JSON.stringify(result)) } : {}),
    ...(revealed.has("error") ? { error } : {}),
    ...(revealed.has("hint") ? { hint } : {}),
  };
}

function cut(text: string): string {
  return text.length <= TEXT_MAX ? text : text.slice(0, TEXT_MAX);
}
