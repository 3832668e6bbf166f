import type { Database } from "better-sqlite3";
import { onTestFinished } from "vitest";
import { type BatchStore, openSqliteStore } from "../../src/index.js";
import { freshPath, openRaw } from "./stores.js";

export interface StoreFile {
  path: string;
  store: BatchStore;
  /** A connection of its own, past the store. */
  raw: Database;
}

/** A store in a file of its own and a raw connection beside it; closed and removed when the test ends. */
export async function openStoreFile(): Promise<StoreFile> {
  const path = freshPath();
  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  return { path, store, raw: openRaw(path) };
}
