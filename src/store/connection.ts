import type { Database } from "better-sqlite3";
import { LOCK_WAIT_MS } from "./lock-wait.js";
import { openDatabase } from "./open-database.js";

/** How much of the log, 4 MB, is copied at once: longer checkpoints save nothing that can be measured. */
export const CHECKPOINT_PAGES = 1_000;
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;

/** Opens the file as the store runs it: write-ahead log of bounded size, foreign keys, a busy timeout. */
export function openConnection(path: string, synchronous: "normal" | "full"): Database {
  const database = openDatabase(path, { timeout: LOCK_WAIT_MS });
  try {
    database.pragma("journal_mode = wal");
    database.pragma(`synchronous = ${synchronous}`);
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
    database.pragma("foreign_keys = on");
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}
