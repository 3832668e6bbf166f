import type { Job } from "../job.js";
import { INTERNAL_ERROR, type Result, type TargetStatus } from "../target.js";
import type { LeftJob, Start, TargetTimes } from "./batch-store.js";
import type { JobRow, TargetRow, TimesRow } from "./schema.js";

export function toJob(row: JobRow): Job {
  return {
    id: row.id,
    caller: row.caller,
    callerClass: row.caller_class,
    status: row.status,
    error: row.error,
    targetsTotal: row.targets_total,
    targetsDone: row.targets_done,
    targetsFailed: row.targets_failed,
    createdAt: row.created_at,
  };
}

/** Reads a target's row; one whose JSON is broken answers as failed, so that the rest of its job can still be read. */
export function toTargetStatus<O extends object>(row: TargetRow): TargetStatus<O> {
  const options = parseObject<O>(row.options);
  const result = row.result === null ? undefined : parseObject<Result>(row.result);
  const broken = options === undefined || (row.result !== null && result === undefined);
  return {
    index: row.idx,
    url: String(row.url),
    options: options ?? ({} as O),
    status: broken ? "failed" : row.status,
    ...(result === undefined ? {} : { result }),
    error: broken ? INTERNAL_ERROR : row.error,
    hint: row.hint,
    attempts: row.attempts,
  };
}

export function toTargetTimes(row: TimesRow): TargetTimes {
  return {
    index: row.idx,
    status: row.status,
    attempts: row.attempts,
    startedAtMs: row.started_at_ms ?? undefined,
    finishedAtMs: row.finished_at_ms ?? undefined,
    retryAtMs: row.retry_at_ms ?? undefined,
  };
}

export function toLeftJob(row: JobRow): LeftJob {
  return { ...toJob(row), lease: row.lease };
}

/** What starting a target hands back; a row that is missing or broken is unreadable. */
export function toStart(row: Pick<TargetRow, "url" | "options" | "attempts"> | undefined): Start {
  const options = parseObject(row?.options);
  if (row === undefined || options === undefined || typeof row.url !== "string") {
    return { outcome: "unreadable", attempts: row?.attempts ?? 0 };
  }
  return { outcome: "started", url: row.url, options, attempts: row.attempts };
}

/** The object that a JSON text holds, or undefined where it holds none. */
function parseObject<T extends object>(json: unknown): T | undefined {
  if (typeof json !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}
