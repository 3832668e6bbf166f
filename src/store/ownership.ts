import { realpathSync } from "node:fs";
import Sqlite, { type Database } from "better-sqlite3";
import { BatchError } from "../errors.js";
import { isBusy } from "./busy.js";

/** Takes a store for one runner and returns what gives it back; throws `ERR_STORE_IN_USE` while another holds it. */
export type TakeOwnership = () => () => void;

const HELD = Symbol.for("fairbatch.held");

/**
 * The locks of this process, by the paths of their files. One that nobody refers to would be closed, and its store freed, by
 * the garbage collector. All copies of this package share them: each with a SQLite of its own, they would not see one another's.
 */
const held = heldLocks();

function heldLocks(): Map<string, Database> {
  const shared = globalThis as { [HELD]?: Map<string, Database> };
  shared[HELD] ??= new Map();
  return shared[HELD];
}

/** Ownership of a store that no other process can see: a flag. */
export function privateOwnership(): TakeOwnership {
  let owner: symbol | undefined;
  return () => {
    if (owner !== undefined) throw new BatchError("ERR_STORE_IN_USE");
    const self = Symbol("owner");
    owner = self;
    return () => {
      if (owner === self) owner = undefined;
    };
  };
}

/**
 * Ownership of a file: an exclusive SQLite lock on an empty file beside it, which the operating system drops
 * when its holder dies. The file stays, since only the lock counts. Do not open it: on POSIX a process loses
 * its locks on a file when it closes any handle of it.
 */
export function fileOwnership(databasePath: string): TakeOwnership {
  const lockPath = `${realpathSync(databasePath)}-owner`;
  return () => {
    if (held.has(lockPath)) throw new BatchError("ERR_STORE_IN_USE");
    const lock = new Sqlite(lockPath, { timeout: 0 });
    try {
      lock.pragma("journal_mode = memory");
      lock.exec("begin exclusive");
      // Where SQLite may only read the file it begins to read, and keeps nobody out. Never committed, so never in the file.
      lock.pragma("user_version = 1");
    } catch (error) {
      lock.close();
      throw isBusy(error) ? new BatchError("ERR_STORE_IN_USE") : error;
    }
    held.set(lockPath, lock);
    return () => {
      if (held.get(lockPath) === lock) held.delete(lockPath);
      lock.close();
    };
  };
}
