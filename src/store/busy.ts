import { setTimeout } from "node:timers/promises";
import Sqlite from "better-sqlite3";

const PAUSE_MS = 100;

/** True for what SQLite throws while another connection holds the lock that it needs. */
export function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** Tries work again while SQLite is busy, ten times a second; `beforeAnother` may throw what is then rejected with. */
export async function whenNotBusy<T>(tries: number, work: () => T | Promise<T>, beforeAnother = () => {}): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || left <= 1) throw error;
      await setTimeout(PAUSE_MS);
      beforeAnother();
    }
  }
}
