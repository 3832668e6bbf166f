import type { Generated, Selectable } from "kysely";
import type { JobStatus } from "../job.js";
import type { TargetState } from "../target.js";

/** A job. `seq` is its place in submit order; `created_at` and `lease` are unix seconds. */
interface BatchJobTable {
  seq: Generated<number>;
  id: string;
  caller: string;
  caller_class: string;
  idem_key: string;
  status: JobStatus;
  error: Generated<string>;
  targets_total: number;
  targets_done: Generated<number>;
  targets_failed: Generated<number>;
  created_at: number;
  lease: number;
  nbytes: Generated<number>;
}

/**
 * A target, keyed by (`job_id`, `idx`). `options` and `result` are JSON; the times are unix milliseconds.
 * `retry_at_ms` is when a pending target is due again, `retry_since_ms` when it first asked to be tried later;
 * `interruptions` counts the attempts that died with their runner; those that closing cut off are taken off in advance.
 */
interface BatchTargetTable {
  job_id: string;
  idx: number;
  url: string;
  options: Generated<string>;
  status: Generated<TargetState>;
  attempts: Generated<number>;
  started_at_ms: Generated<number | null>;
  finished_at_ms: Generated<number | null>;
  error: Generated<string>;
  hint: Generated<string>;
  result: Generated<string | null>;
  retry_at_ms: Generated<number | null>;
  retry_since_ms: Generated<number | null>;
  interruptions: Generated<number>;
}

/** One row: what all jobs together amount to, kept by triggers so that nobody has to sum. */
interface BatchTotalTable {
  live: number;
  nbytes: number;
}

/** Live jobs of each caller that has any, kept by triggers. */
interface BatchCallerTable {
  caller: string;
  live: number;
}

export interface Schema {
  batch_job: BatchJobTable;
  batch_target: BatchTargetTable;
  batch_total: BatchTotalTable;
  batch_caller: BatchCallerTable;
}

export type JobRow = Selectable<BatchJobTable>;
export type TargetRow = Selectable<BatchTargetTable>;
export type TimesRow = Pick<
  TargetRow,
  "idx" | "status" | "attempts" | "started_at_ms" | "finished_at_ms" | "retry_at_ms"
>;
