// What a contender says it has stored is looked at afterwards: a contender that skips work would win.
import Sqlite from "better-sqlite3";
import { RESULT } from "./workload.mjs";

export function expectStored(path, targets, table = "batch_target") {
  const database = new Sqlite(path, { readonly: true });
  const { stored } = database
    .prepare(`select count(*) as stored from ${table} where result = ?`)
    .get(JSON.stringify(RESULT));
  database.close();
  if (stored !== targets) throw new Error(`${stored} of ${targets} results are stored`);
}
