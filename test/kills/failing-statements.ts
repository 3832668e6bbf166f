import Sqlite, { type Database } from "better-sqlite3";
import { onTestFinished } from "vitest";

export interface FailingStatements {
  /** Each statement that was given, failed or not. */
  given: string[];
  /** Whether the statement that was given last is to fail. */
  fails: () => boolean;
}

type Method = (this: { database: Database; source: string }, ...args: unknown[]) => unknown;

const watched = new Map<FailingStatements, Database | undefined>();

/** Fails as a full disk would have it fail, before anything is done; rolling back always works. */
function give(database: Database, source: string): void {
  if (source.toUpperCase() === "ROLLBACK") return;
  for (const [failing, connection] of watched) {
    if (connection !== undefined && connection !== database) continue;
    failing.given.push(source);
    if (failing.fails()) throw new Sqlite.SqliteError("disk full at s3cret", "SQLITE_FULL");
  }
}

const scratch = new Sqlite(":memory:");
const statement = Object.getPrototypeOf(scratch.prepare("select 1"));
scratch.close();
for (const name of ["run", "get", "all"]) {
  const method = statement[name] as Method;
  statement[name] = function (this: ThisParameterType<Method>, ...args: unknown[]) {
    give(this.database, this.source);
    return method.apply(this, args);
  };
}
const exec = Sqlite.prototype.exec;
Sqlite.prototype.exec = function (source) {
  give(this, source);
  return exec.call(this, source);
};

/** Has the statements of one connection fail, or those of every one, until the test ends. */
export function failStatements(connection: Database | undefined): FailingStatements {
  const failing: FailingStatements = { given: [], fails: () => false };
  watched.set(failing, connection);
  onTestFinished(() => void watched.delete(failing));
  return failing;
}
