// The statements and transactions that fairbatch ran for some work, prepared once more on a connection of its own.
import { readFileSync } from "node:fs";
import { deserialize } from "node:v8";
import { openSqliteStore } from "fairbatch";
import { openConnection } from "../../dist/store/connection.js";

const METHODS = ["run", "get", "all"];

/** A file as fairbatch makes and opens it, and the steps to take there: in order, each a prepared statement, how, and with what. */
export async function openRecording({ path, recording, synchronous = "normal" }) {
  await (await openSqliteStore(path)).close();
  const database = openConnection(path, synchronous);
  const { statements, steps } = deserialize(readFileSync(recording));
  const used = new Set(steps.map(({ statement }) => statement));
  const prepared = statements.map((sql, number) => (used.has(number) ? database.prepare(sql) : undefined));
  return {
    database,
    steps: steps.map(({ statement, method, values }) => ({
      statement: prepared[statement],
      method: METHODS.indexOf(method),
      values,
      ends: statements[statement] === "commit",
      submits: /^insert into "batch_target"/.test(statements[statement]),
    })),
  };
}

export function take({ statement, method, values }) {
  if (method === 0) statement.run(...values);
  else if (method === 1) statement.get(...values);
  else statement.all(...values);
}
