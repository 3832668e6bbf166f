import Sqlite, { type Database, type Options } from "better-sqlite3";
import { checkNodeForSqlite } from "./node-for-sqlite.js";

/** Opens a SQLite file. Where the SQLite that is installed cannot run here, throws what is to be done about it. */
export function openDatabase(path: string, options: Options): Database {
  checkNodeForSqlite();
  try {
    return new Sqlite(path, options);
  } catch (error) {
    throw isAddonMissing(error) ? new Error(NO_ADDON, { cause: error }) : error;
  }
}

const NO_ADDON =
  "better-sqlite3 is installed without its native addon: let its install script run (npm rebuild better-sqlite3)";

/** What the package `bindings` throws, which finds the addon of a better-sqlite3 up to 12; from 13 on it is just required. */
export function isAddonMissing(error: unknown): boolean {
  const { tries, code } = error as { tries?: unknown; code?: unknown };
  return Array.isArray(tries) || code === "MODULE_NOT_FOUND";
}
