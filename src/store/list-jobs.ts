import type { Database } from "better-sqlite3";
import type { JobFilter } from "./batch-store.js";
import { queryBuilder as db } from "./query-builder.js";
import type { JobRow } from "./schema.js";

const DEFAULT_LIMIT = 100;

/** The jobs that fit a filter, newest first. Rare, and of many shapes, so it is compiled anew at each call. */
export function listJobs(database: Database, { caller, status, limit, before }: JobFilter): JobRow[] {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0)) {
    throw new RangeError("list: limit must be a whole number, 0 or more");
  }
  let query = db
    .selectFrom("batch_job")
    .selectAll()
    .orderBy("seq", "desc")
    .limit(limit || DEFAULT_LIMIT);
  if (caller !== undefined) query = query.where("caller", "=", caller);
  if (status !== undefined) query = query.where("status", "=", status);
  if (before !== undefined) {
    query = query.where("seq", "<", (eb) => eb.selectFrom("batch_job").select("seq").where("id", "=", before));
  }
  const compiled = query.compile();
  return database.prepare(compiled.sql).all(...compiled.parameters) as JobRow[];
}
