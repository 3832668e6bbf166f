// Runs the work with fairbatch and one worker, and writes down each statement and transaction that reaches better-sqlite3.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { serialize } from "node:v8";
import Sqlite from "better-sqlite3";
import { createBatchRunner, openSqliteStore } from "fairbatch";
import { contend } from "../support/contend.mjs";
import { batches, OPEN_CAPS, RESULT } from "../support/workload.mjs";

const statements = [];
let steps = [];

recordPrepared();
recordTransactions();
await contend(async ({ folder, targets, jobs, recording }) => {
  const store = await openSqliteStore(join(folder, "batches.sqlite"));
  const runner = await createBatchRunner({ store, ...OPEN_CAPS, fetch: async () => RESULT });
  steps = [];
  for (const batch of batches(targets, jobs)) {
    await runner.submit({ caller: { name: "bench" }, callerClass: "", targets: batch });
  }
  await runner.idle();
  writeFileSync(recording, serialize({ statements, steps }));
  await runner.close();
  await store.close();
  const commits = steps.filter(({ statement }) => statements[statement] === "commit").length;
  return { statements: (steps.length - 2 * commits) / targets, transactions: commits / targets };
});

function statementNumber(sql) {
  const known = statements.indexOf(sql);
  return known >= 0 ? known : statements.push(sql) - 1;
}

function recordPrepared() {
  const { prepare, exec } = Sqlite.prototype;
  Sqlite.prototype.prepare = function (sql) {
    const prepared = prepare.call(this, sql);
    const statement = statementNumber(sql);
    for (const method of ["run", "get", "all"]) {
      const call = prepared[method];
      prepared[method] = (...values) => {
        steps.push({ statement, method, values });
        return call.apply(prepared, values);
      };
    }
    return prepared;
  };
  Sqlite.prototype.exec = function (sql) {
    steps.push({ statement: statementNumber(sql), method: "run", values: [] });
    return exec.call(this, sql);
  };
}

function recordTransactions() {
  const { transaction } = Sqlite.prototype;
  Sqlite.prototype.transaction = function (work) {
    const run = transaction.call(this, work);
    const recorded = (kind) => {
      const begin = statementNumber(`begin ${kind}`);
      const commit = statementNumber("commit");
      return (...values) => {
        steps.push({ statement: begin, method: "run", values: [] });
        const answer = run[kind](...values);
        steps.push({ statement: commit, method: "run", values: [] });
        return answer;
      };
    };
    const { deferred, immediate, exclusive } = {
      deferred: recorded("deferred"),
      immediate: recorded("immediate"),
      exclusive: recorded("exclusive"),
    };
    return Object.assign((...values) => deferred(...values), { deferred, immediate, exclusive });
  };
}
