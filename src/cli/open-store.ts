import { existsSync } from "node:fs";
import type { BatchStore } from "../store/batch-store.js";
import { openSqliteStore } from "../store/open-sqlite-store.js";
import { CommandError } from "./command-error.js";

/** Opens the store, and makes its file where there is none. */
export async function openStore(path: string): Promise<BatchStore> {
  try {
    return await openSqliteStore(path);
  } catch (error) {
    throw new CommandError(`${path}: cannot be opened: ${(error as Error).message}`);
  }
}

/** Opens a store that is there, for as long as `use` takes. */
export async function withExistingStore(path: string, use: (store: BatchStore) => Promise<number>): Promise<number> {
  if (!existsSync(path)) throw new CommandError(`${path}: there is no such file; --db names another`);
  const store = await openStore(path);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
