import type { Database } from "better-sqlite3";

export interface JobRows {
  job: { status: string; error: string; done: number; failed: number } | undefined;
  /** Each target's status in index order, with its error where it has one: `failed: nope`. */
  targets: string[];
}

/** What the rows of a job say, read past the store. */
export function jobRows(raw: Database, id: string): JobRows {
  return {
    job: raw
      .prepare("select status, error, targets_done as done, targets_failed as failed from batch_job where id = ?")
      .get(id) as JobRows["job"],
    targets: raw
      .prepare(
        `select status || case error when '' then '' else ': ' || error end
         from batch_target where job_id = ? order by idx`,
      )
      .pluck()
      .all(id) as string[],
  };
}
