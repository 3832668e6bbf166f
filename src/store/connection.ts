import Sqlite, { type Database } from "better-sqlite3";

/** How long a write may block the event loop while another process writes, whose transactions take about 1 ms. */
const BUSY_TIMEOUT_MS = 20;
/** A checkpoint of so many pages, 4 MB, blocks the event loop for about 10 ms; longer ones save nothing that can be measured. */
const WAL_PAGES = 1_000;
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;

/** Opens the file as the store runs it: write-ahead log of bounded size, foreign keys, a busy timeout. */
export function openConnection(path: string, synchronous: "normal" | "full"): Database {
  const database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.pragma("journal_mode = wal");
    database.pragma(`synchronous = ${synchronous}`);
    database.pragma(`wal_autocheckpoint = ${WAL_PAGES}`);
    database.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
    database.pragma("foreign_keys = on");
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}
