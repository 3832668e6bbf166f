import { existsSync } from "node:fs";
import type { BatchStore } from "../store/batch-store.js";
import { holdsStore } from "../store/holds-store.js";
import { openSqliteStore } from "../store/open-sqlite-store.js";
import { CommandError } from "./command-error.js";

export const DEFAULT_DB = "fairbatch.sqlite";

/** Opens the store, and makes its file where there is none. */
export function openStore(path: string): Promise<BatchStore> {
  return opening(path, () => openSqliteStore(path));
}

/** Opens a store that is there, for as long as `use` takes. A file of somebody else's is refused, and left as it is. */
export async function withExistingStore(
  path: string,
  use: (store: BatchStore) => Promise<number>,
  advice = "; --db names another",
): Promise<number> {
  if (!existsSync(path)) throw new CommandError(`${path}: there is no such file${advice}`);
  if (!(await opening(path, async () => holdsStore(path)))) throw new CommandError(`${path}: not a store of fairbatch`);
  const store = await openStore(path);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function opening<T>(path: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw new CommandError(`${path}: cannot be opened: ${(error as Error).message}`);
  }
}
