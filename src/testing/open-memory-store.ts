import type { BatchStore } from "../store/batch-store.js";
import { openSqliteStore } from "../store/open-sqlite-store.js";

/** A new store in memory: SQLite as in a file, gone once it is closed. */
export function openMemoryStore(): Promise<BatchStore> {
  return openSqliteStore(":memory:");
}
