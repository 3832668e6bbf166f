import type { Database } from "better-sqlite3";
import type { JobRow, TargetRow } from "./rows.js";

export type StoredJob = Omit<JobRow, "subject">;

/** Reads the rows past the store, in the words of the model. */
export class RowReader {
  readonly #jobs;
  readonly #targets;

  constructor(raw: Database) {
    this.#jobs = raw.prepare<[], Omit<StoredJob, "targets">>(
      `select id, caller, caller_class as callerClass, status, error, targets_done as done, targets_failed as failed,
       created_at as createdAt, lease, nbytes from batch_job order by seq`,
    );
    this.#targets = raw.prepare<[string], TargetRow>(
      `select url, options, status, attempts, started_at_ms as startedAtMs, finished_at_ms as finishedAtMs, error, hint,
       result, retry_at_ms as retryAtMs, retry_since_ms as retrySinceMs, interruptions
       from batch_target where job_id = ? order by idx`,
    );
  }

  /** In submit order. */
  all(): StoredJob[] {
    return this.#jobs.all().map((job) => ({ ...job, targets: this.#targets.all(job.id) }));
  }

  ids(): string[] {
    return this.#jobs.all().map(({ id }) => id);
  }
}
