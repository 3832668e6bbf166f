import { existsSync, realpathSync } from "node:fs";
import { openDatabase } from "./open-database.js";

/** Whether a SQLite file holds a store, of whatever version. Leaves the file as it is; throws for one that cannot be read. */
export function holdsStore(path: string): boolean {
  const file = realpathSync(path);
  // Whoever may write puts right what a killed process left; whoever may not leaves a log of its own beside the file.
  const readonly = existsSync(`${file}-wal`) || existsSync(`${file}-journal`);
  const database = openDatabase(file, { fileMustExist: true, readonly });
  try {
    return (database.pragma("table_info(batch_job)") as unknown[]).length > 0;
  } finally {
    database.close();
  }
}
