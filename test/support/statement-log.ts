import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";

const NAMES: [RegExp, string][] = [
  [/^begin/i, "begin"],
  [/^commit/i, "commit"],
  [/^rollback/i, "rollback"],
  [/^update "batch_target" set "status" = \?, "attempts"|^update "batch_target" .* returning/, "start target"],
  [/^update "batch_target"/, "settle target"],
  [/^update "batch_job" set "status"/, "set running"],
  [/^update "batch_job" .*"status" = \? where/, "count and set status"],
  [/^update "batch_job"/, "count"],
  [/^select "status" from "batch_job"/, "find status"],
  [/^select .* from "batch_total"/, "find totals"],
];

/** Every statement that any connection of this process runs from now on, by a short name, until the test ends. */
export function logStatements(): string[] {
  const ran: string[] = [];
  const probe = new Sqlite(":memory:");
  const statement = Object.getPrototypeOf(probe.prepare("select 1")) as Record<string, unknown>;
  probe.close();
  for (const method of ["run", "get", "all"]) {
    const real = statement[method] as (...args: unknown[]) => unknown;
    statement[method] = function (this: { source: string }, ...args: unknown[]) {
      ran.push(NAMES.find(([sql]) => sql.test(this.source))?.[1] ?? this.source);
      return real.apply(this, args);
    };
    onTestFinished(() => {
      statement[method] = real;
    });
  }
  return ran;
}
