import type { Database } from "better-sqlite3";
import { sql } from "kysely";
import type { JobStatus } from "../job.js";
import { INTERRUPTED } from "../target.js";
import { queryBuilder as db } from "./query-builder.js";
import type { JobRow } from "./schema.js";
import { prepare } from "./statement.js";

/** Written out, since SQLite uses a partial index only for the very words it was made with. */
export const TERMINAL = sql<boolean>`status in ('done', 'partial', 'failed', 'cancelled')`;

export const LIVE = ["queued", "running"] as const satisfies JobStatus[];
const REUSABLE = ["queued", "running", "done", "partial"] as const satisfies JobStatus[];

type NewJob = {
  id: string;
  caller: string;
  callerClass: string;
  idempotencyKey: string;
  targetsTotal: number;
  nowSeconds: number;
  nbytes: number;
};
type Counts = { id: string; targetsDone: number; targetsFailed: number; addedBytes: number };

/** Every statement that looks at jobs, compiled once for this connection. Each status write is conditional on a live row. */
export function jobStatements(database: Database) {
  return {
    ...jobLookups(database),
    ...jobWrites(database),
    ...countWrites(database),
    ...jobRemovals(database),
  };
}

function jobLookups(database: Database) {
  return {
    find: prepare<{ id: string }, JobRow>(database, (param) =>
      db.selectFrom("batch_job").selectAll().where("id", "=", param("id")),
    ),
    findStatus: prepare<{ id: string }, { status: JobStatus }>(database, (param) =>
      db.selectFrom("batch_job").select("status").where("id", "=", param("id")),
    ),
    findReusable: prepare<{ caller: string; idempotencyKey: string; oldestLease: number }, { id: string }>(
      database,
      (param) =>
        db
          .selectFrom("batch_job")
          .select("id")
          .where("idem_key", "=", param("idempotencyKey"))
          .where("caller", "=", param("caller"))
          .where("status", "in", REUSABLE)
          .where("lease", ">=", param("oldestLease"))
          .orderBy("seq", "desc")
          .limit(1),
    ),
    totals: prepare<Record<never, never>, { live: number; nbytes: number }>(database, () =>
      db.selectFrom("batch_total").select(["live", "nbytes"]),
    ),
    liveOfCaller: prepare<{ caller: string }, { live: number }>(database, (param) =>
      db.selectFrom("batch_caller").select("live").where("caller", "=", param("caller")),
    ),
    listLive: prepare<Record<never, never>, JobRow>(database, () =>
      db.selectFrom("batch_job").selectAll().where("status", "in", LIVE).orderBy("seq"),
    ),
  };
}

function jobWrites(database: Database) {
  return {
    insert: prepare<NewJob, never>(database, (param) =>
      db.insertInto("batch_job").values({
        id: param("id"),
        caller: param("caller"),
        caller_class: param("callerClass"),
        idem_key: param("idempotencyKey"),
        status: "queued",
        targets_total: param("targetsTotal"),
        created_at: param("nowSeconds"),
        lease: param("nowSeconds"),
        nbytes: param("nbytes"),
      }),
    ),
    setRunning: prepare<{ id: string }, never>(database, (param) =>
      db
        .updateTable("batch_job")
        .set({ status: "running" })
        .where("id", "=", param("id"))
        .where("status", "=", "queued"),
    ),
    cancel: prepare<{ id: string }, never>(database, (param) =>
      db
        .updateTable("batch_job")
        .set({ status: "cancelled" })
        .where("id", "=", param("id"))
        .where("status", "in", LIVE),
    ),
    interrupt: prepare<{ id: string }, never>(database, (param) =>
      db
        .updateTable("batch_job")
        .set({ status: "failed", error: INTERRUPTED })
        .where("id", "=", param("id"))
        .where("status", "in", LIVE),
    ),
    touch: prepare<{ id: string; leaseSeconds: number }, never>(database, (param) =>
      db
        .updateTable("batch_job")
        .set({ lease: param("leaseSeconds") })
        .where("id", "=", param("id")),
    ),
  };
}

function countWrites(database: Database) {
  return {
    setCounts: prepare<Counts & { status: JobStatus }, never>(database, (param) =>
      db
        .updateTable("batch_job")
        .set((eb) => ({
          targets_done: param("targetsDone"),
          targets_failed: param("targetsFailed"),
          nbytes: eb("nbytes", "+", param("addedBytes")),
          status: param("status"),
        }))
        .where("id", "=", param("id"))
        .where("status", "in", LIVE),
    ),
    setCountsOfRunning: prepare<Counts, never>(database, (param) =>
      db
        .updateTable("batch_job")
        .set((eb) => ({
          targets_done: param("targetsDone"),
          targets_failed: param("targetsFailed"),
          nbytes: eb("nbytes", "+", param("addedBytes")),
        }))
        .where("id", "=", param("id"))
        .where("status", "=", "running"),
    ),
    setCountsOfTerminal: prepare<Counts, never>(database, (param) =>
      db
        .updateTable("batch_job")
        .set((eb) => ({
          targets_done: param("targetsDone"),
          targets_failed: param("targetsFailed"),
          nbytes: eb("nbytes", "+", param("addedBytes")),
        }))
        .where("id", "=", param("id")),
    ),
  };
}

function jobRemovals(database: Database) {
  return {
    remove: prepare<{ id: string }, never>(database, (param) =>
      db.deleteFrom("batch_job").where("id", "=", param("id")),
    ),
    sweep: prepare<{ leaseSeconds: number; limit: number }, never>(database, (param) =>
      db
        .deleteFrom("batch_job")
        .where("seq", "in", (eb) =>
          eb
            .selectFrom("batch_job")
            .select("seq")
            .where(TERMINAL)
            .where("lease", "<", param("leaseSeconds"))
            .limit(param("limit")),
        ),
    ),
    oldestTerminal: prepare<Record<never, never>, { id: string }>(database, () =>
      db.selectFrom("batch_job").select("id").where(TERMINAL).orderBy("lease").orderBy("seq").limit(1),
    ),
  };
}
