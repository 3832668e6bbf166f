import type { Database } from "better-sqlite3";
import { queryBuilder as db } from "./query-builder.js";
import type { TargetRow } from "./schema.js";
import { prepare } from "./statement.js";

type Key = { jobId: string; index: number };
type Started = Pick<TargetRow, "url" | "options" | "attempts">;
type Outcome = Key & {
  status: "done" | "failed";
  result: string | null;
  error: string;
  hint: string;
  finishedAtMs: number;
};

/** Every statement that looks at targets, compiled once for this connection. */
export function targetStatements(database: Database) {
  return {
    insert: prepare<Key & { url: string; options: string }, never>(database, (param) =>
      db
        .insertInto("batch_target")
        .values({ job_id: param("jobId"), idx: param("index"), url: param("url"), options: param("options") }),
    ),
    start: prepare<Key & { startedAtMs: number }, Started>(database, (param) =>
      db
        .updateTable("batch_target")
        .set((eb) => ({
          status: "running",
          attempts: eb("attempts", "+", 1),
          started_at_ms: param("startedAtMs"),
        }))
        .where("job_id", "=", param("jobId"))
        .where("idx", "=", param("index"))
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
    defer: prepare<Key, never>(database, (param) =>
      db
        .updateTable("batch_target")
        .set({ status: "pending" })
        .where("job_id", "=", param("jobId"))
        .where("idx", "=", param("index"))
        .where("status", "=", "running"),
    ),
    /** Only a live or a cancelled job can have a target running, so the finished ones need no look. */
    interrupt: prepare<Record<never, never>, never>(database, () =>
      db
        .updateTable("batch_target")
        .set({ status: "pending" })
        .where("status", "=", "running")
        .where("job_id", "in", (eb) =>
          eb.selectFrom("batch_job").select("id").where("status", "in", ["queued", "running", "cancelled"]),
        ),
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
  };
}
