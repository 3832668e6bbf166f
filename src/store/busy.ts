import { setTimeout } from "node:timers/promises";
import Sqlite from "better-sqlite3";

const TRIES = 40;
const PAUSE_MS = 25;

/** True for what SQLite throws while another connection holds the lock that it needs. */
export function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** Repeats work for as long as SQLite is busy, and the process is free meanwhile: some of its locks know no busy timeout. */
export async function whenNotBusy<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || left === 0) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}
