import { copyFileSync, existsSync, rmSync } from "node:fs";
import Sqlite, { type Database } from "better-sqlite3";
import { unsoundRows } from "./unsound-rows.js";

export interface JobRow {
  id: string;
  caller: string;
  status: string;
  error: string;
  targets_total: number;
  targets_done: number;
  targets_failed: number;
  created_at: number;
  lease: number;
  nbytes: number;
}

export interface TargetRow {
  job_id: string;
  idx: number;
  url: string;
  options: string;
  status: string;
  attempts: number;
  interruptions: number;
  error: string;
  hint: string;
  result: string | null;
  started_at_ms: number | null;
  finished_at_ms: number | null;
}

export interface Rows {
  jobs: Map<string, JobRow>;
  /** By job id and index: `id/0`. */
  targets: Map<string, TargetRow>;
  /** What is wrong with the rows by themselves. */
  unsound: unknown[];
}

/** Reads a file through a copy, so that whoever opens the file itself next finds it as the dead left it. */
export function readRows(path: string): Rows {
  const copy = `${path}-copy`;
  for (const part of ["", "-wal", "-shm", "-journal"]) {
    rmSync(`${copy}${part}`, { force: true });
    // The index of the log is made anew from the log by the first who opens it, as after a power cut.
    if (part !== "-shm" && existsSync(`${path}${part}`)) copyFileSync(`${path}${part}`, `${copy}${part}`);
  }
  const raw = new Sqlite(copy);
  try {
    return rowsOf(raw);
  } finally {
    raw.close();
  }
}

function rowsOf(raw: Database): Rows {
  if (raw.prepare("select count(*) from sqlite_master").pluck().get() === 0) {
    return { jobs: new Map(), targets: new Map(), unsound: [] };
  }
  const jobs = raw.prepare("select * from batch_job order by seq").all() as JobRow[];
  const targets = raw.prepare("select * from batch_target order by job_id, idx").all() as TargetRow[];
  return {
    jobs: new Map(jobs.map((job) => [job.id, job])),
    targets: new Map(targets.map((target) => [`${target.job_id}/${target.idx}`, target])),
    unsound: unsoundRows(raw),
  };
}
