import type { Database } from "better-sqlite3";
import { LIVE } from "./job-statements.js";
import { queryBuilder as db } from "./query-builder.js";
import type { TargetRow, TimesRow } from "./schema.js";
import { prepare } from "./statement.js";

type Key = { jobId: string; index: number };
type Started = Pick<TargetRow, "url" | "options" | "attempts">;
type Retry = Pick<TargetRow, "attempts" | "retry_at_ms" | "retry_since_ms">;
type Outcome = Key & {
  status: "done" | "failed";
  result: string | null;
  error: string;
  hint: string;
  finishedAtMs: number;
};

/** Every statement that looks at targets, compiled once for this connection. */
export function targetStatements(database: Database) {
  return { ...targetLookups(database), ...targetWrites(database), ...leftTargets(database) };
}

function targetLookups(database: Database) {
  return {
    findRetry: prepare<Key, Retry>(database, (param) =>
      db
        .selectFrom("batch_target")
        .select(["attempts", "retry_at_ms", "retry_since_ms"])
        .where("job_id", "=", param("jobId"))
        .where("idx", "=", param("index")),
    ),
    after: prepare<{ jobId: string; afterIndex: number; limit: number }, TargetRow>(database, (param) =>
      db
        .selectFrom("batch_target")
        .selectAll()
        .where("job_id", "=", param("jobId"))
        .where("idx", ">", param("afterIndex"))
        .orderBy("idx")
        .limit(param("limit")),
    ),
    timesAfter: prepare<{ jobId: string; afterIndex: number; limit: number }, TimesRow>(database, (param) =>
      db
        .selectFrom("batch_target")
        .select(["idx", "status", "attempts", "started_at_ms", "finished_at_ms", "retry_at_ms"])
        .where("job_id", "=", param("jobId"))
        .where("idx", ">", param("afterIndex"))
        .orderBy("idx")
        .limit(param("limit")),
    ),
  };
}

function targetWrites(database: Database) {
  return {
    insert: prepare<Key & { url: string; options: string }, never>(database, (param) =>
      db
        .insertInto("batch_target")
        .values({ job_id: param("jobId"), idx: param("index"), url: param("url"), options: param("options") }),
    ),
    /** Starts no target of a job in any other status, and none that has been interrupted too often. */
    startOfRunning: prepare<Key & { startedAtMs: number; maxInterrupted: number }, Started>(database, (param) =>
      db
        .updateTable("batch_target")
        .set((eb) => ({
          status: "running",
          attempts: eb("attempts", "+", 1),
          started_at_ms: param("startedAtMs"),
        }))
        .where("job_id", "=", param("jobId"))
        .where("idx", "=", param("index"))
        .where("interruptions", "<", param("maxInterrupted"))
        .where((eb) =>
          eb.exists(
            eb.selectFrom("batch_job").select("id").where("id", "=", param("jobId")).where("status", "=", "running"),
          ),
        )
        .returning(["url", "options", "attempts"]),
    ),
    settle: prepare<Outcome, never>(database, (param) =>
      db
        .updateTable("batch_target")
        .set({
          status: param("status"),
          result: param("result"),
          error: param("error"),
          hint: param("hint"),
          finished_at_ms: param("finishedAtMs"),
        })
        .where("job_id", "=", param("jobId"))
        .where("idx", "=", param("index")),
    ),
    defer: prepare<Key & { retryAtMs: number | null; retrySinceMs: number | null; uncounted: number }, never>(
      database,
      (param) =>
        db
          .updateTable("batch_target")
          .set((eb) => ({
            status: "pending",
            attempts: eb("attempts", "-", param("uncounted")),
            retry_at_ms: param("retryAtMs"),
            retry_since_ms: param("retrySinceMs"),
          }))
          .where("job_id", "=", param("jobId"))
          .where("idx", "=", param("index"))
          .where("status", "=", "running"),
    ),
  };
}

/** Of targets that an owner leaves running, in whatever job. */
function leftTargets(database: Database) {
  return {
    /** Only a live or a cancelled job can have a target running, so the finished ones need no look. */
    interrupt: prepare<Record<never, never>, never>(database, () =>
      db
        .updateTable("batch_target")
        .set((eb) => ({ status: "pending", retry_at_ms: null, interruptions: eb("interruptions", "+", 1) }))
        .where("status", "=", "running")
        .where("job_id", "in", (eb) =>
          eb
            .selectFrom("batch_job")
            .select("id")
            .where("status", "in", [...LIVE, "cancelled"]),
        ),
    ),
    /** Taken off beforehand, since the next owner counts each target that it finds running. */
    leave: prepare<Record<never, never>, never>(database, () =>
      db
        .updateTable("batch_target")
        .set((eb) => ({ interruptions: eb("interruptions", "-", 1) }))
        .where("status", "=", "running")
        .where("job_id", "in", (eb) => eb.selectFrom("batch_job").select("id").where("status", "in", LIVE)),
    ),
  };
}
