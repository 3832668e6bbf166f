import { resolve } from "node:path";
import type { BatchStore } from "./batch-store.js";

/**
 * Opens (and creates or upgrades) a store in a SQLite file, or in memory for `":memory:"`; a bad argument is a `TypeError`.
 * `synchronous: "full"` also survives a power cut without losing the last commits; `"normal"` (default) survives every crash of the process.
 */
export async function openSqliteStore(
  path: string,
  options: { synchronous?: "normal" | "full" } = {},
): Promise<BatchStore> {
  // SQLite would take none for a file that is gone with the process, and leaves out the blanks around a name.
  const trimmed = typeof path === "string" ? path.trim() : "";
  if (trimmed === "") throw new TypeError("openSqliteStore: path must be a string that is not empty");
  const synchronous = options.synchronous ?? "normal";
  if (synchronous !== "normal" && synchronous !== "full") {
    throw new TypeError('openSqliteStore: synchronous must be "normal" or "full"');
  }
  // Now, since the process may go to another folder meanwhile.
  const file = trimmed === ":memory:" ? trimmed : resolve(trimmed);
  // Kysely is most of what importing this package would take, and is needed from here on only.
  const { openStore } = await import("./sqlite-store.js");
  return openStore(file, synchronous);
}
