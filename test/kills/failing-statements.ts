import Sqlite, { type Database } from "better-sqlite3";
import { onTestFinished } from "vitest";

type Method = (this: { database: Database; source: string }, ...args: unknown[]) => unknown;

export interface FailingStatements {
  /** Each statement that this connection was given, failed or not. */
  given: string[];
  /** Whether the statement that was given last is to fail. */
  fails: () => boolean;
}

/** Has the statements of one connection fail as a full disk would have them, before they do anything; rolling back always works. */
export function failStatements(connection: Database): FailingStatements {
  const failing: FailingStatements = { given: [], fails: () => false };
  const statement = Object.getPrototypeOf(connection.prepare("select 1"));
  for (const name of ["run", "get", "all"]) {
    const method = statement[name] as Method;
    statement[name] = function (this: ThisParameterType<Method>, ...args: unknown[]) {
      if (this.database === connection && this.source !== "ROLLBACK") {
        failing.given.push(this.source);
        if (failing.fails()) throw new Sqlite.SqliteError("disk full at s3cret", "SQLITE_FULL");
      }
      return method.apply(this, args);
    };
    onTestFinished(() => {
      statement[name] = method;
    });
  }
  return failing;
}
