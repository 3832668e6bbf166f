import type { Database } from "better-sqlite3";
import type { BatchStore, JobFilter } from "./batch-store.js";
import type { jobStatements } from "./job-statements.js";
import { listJobs } from "./list-jobs.js";
import { toJob, toLeftJob, toTargetStatus, toTargetTimes } from "./rows.js";
import type { TargetRow } from "./schema.js";
import type { targetStatements } from "./target-statements.js";

type Reads = Pick<BatchStore, "status" | "list" | "left" | "findJob" | "targetsAfter" | "timesAfter">;

/** A page of targets is full with so much of results, so that no page fills the memory. */
const PAGE_CHARACTERS = 2 ** 20;

/** What a store answers without writing anything. */
export function storeReads(
  database: Database,
  jobs: ReturnType<typeof jobStatements>,
  targets: ReturnType<typeof targetStatements>,
): Reads {
  const report = database.transaction((id: string) => {
    const job = jobs.find.first({ id });
    return job && { job, targets: targets.after.all({ jobId: id, afterIndex: -1, limit: -1 }) };
  });

  return {
    async status<O extends object>(id: string) {
      const rows = report.deferred(id);
      return rows && { job: toJob(rows.job), targets: rows.targets.map((row) => toTargetStatus<O>(row)) };
    },
    list: async (filter: JobFilter = {}) => listJobs(database, filter).map(toJob),
    left: async () => jobs.listLive.all({}).map(toLeftJob),
    async findJob(id) {
      const row = jobs.find.first({ id });
      return row && toJob(row);
    },
    async targetsAfter<O extends object>(id: string, afterIndex: number, limit: number) {
      let roomLeft = PAGE_CHARACTERS;
      const isFull = ({ result }: TargetRow) => {
        roomLeft -= result?.length ?? 0;
        return roomLeft <= 0;
      };
      const rows = targets.after.upTo({ jobId: id, afterIndex, limit }, isFull);
      return rows.map((row) => toTargetStatus<O>(row));
    },
    timesAfter: async (id, afterIndex, limit) =>
      targets.timesAfter.all({ jobId: id, afterIndex, limit }).map(toTargetTimes),
  };
}
