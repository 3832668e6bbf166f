import type { Database } from "better-sqlite3";
import { admission } from "./admission.js";
import type { BatchStore, JobFilter, SettleRequest, StartRequest } from "./batch-store.js";
import { whenNotBusy } from "./busy.js";
import { openConnection } from "./connection.js";
import { jobStatements } from "./job-statements.js";
import { listJobs } from "./list-jobs.js";
import { migrate } from "./migrations.js";
import { fileOwnership, privateOwnership } from "./ownership.js";
import { recovery } from "./recovery.js";
import { removal } from "./removal.js";
import { toJob, toLeftJob, toTargetStatus, toTargetTimes } from "./rows.js";
import { targetProgress } from "./target-progress.js";
import { targetStatements } from "./target-statements.js";

/** Several processes that set up a new file at once wait for one another. */
const OPEN_TRIES = 50;
/** A call that somebody waits for outlasts another process's long write; the writes of a running job are tried again by the runner. */
const CALL_TRIES = 10;

export function openStore(path: string, synchronous: "normal" | "full"): Promise<BatchStore> {
  return whenNotBusy(OPEN_TRIES, async () => {
    const database = openConnection(path, synchronous);
    try {
      await migrate(database);
      return sqliteStore(database);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Each method runs one synchronous transaction and only then lets go of the event loop: nothing can come between. */
function sqliteStore(database: Database): BatchStore {
  const jobs = jobStatements(database);
  const targets = targetStatements(database);
  const admit = admission(database, jobs, targets);
  const progress = targetProgress(database, jobs, targets);
  const remove = removal(database, jobs);
  const takeOwnership = database.memory ? privateOwnership() : fileOwnership(database.name);
  const recover = recovery(database, jobs, targets);
  const report = database.transaction((id: string) => {
    const job = jobs.find.first({ id });
    return job && { job, targets: targets.after.all({ jobId: id, afterIndex: -1, limit: -1 }) };
  });

  return {
    async status<O extends object>(id: string) {
      const rows = report.deferred(id);
      return rows && { job: toJob(rows.job), targets: rows.targets.map((row) => toTargetStatus<O>(row)) };
    },
    list: async (filter: JobFilter = {}) => listJobs(database, filter).map(toJob),
    cancel: (id) => whenNotBusy(CALL_TRIES, () => jobs.cancel.run({ id }) > 0),
    close: async () => void database.close(),

    async own() {
      if (!database.open) throw new Error("the store is closed");
      const giveBack = takeOwnership();
      return async () => giveBack();
    },
    left: async () => jobs.listLive.all({}).map(toLeftJob),
    recover: (resume) => whenNotBusy(CALL_TRIES, () => recover(resume)),
    admit: (request) => whenNotBusy(CALL_TRIES, () => admit(request)),
    withdraw: (id) => whenNotBusy(CALL_TRIES, () => void jobs.remove.run({ id })),
    start: async (request: StartRequest) => progress.start(request),
    settle: async (request: SettleRequest) => progress.settle(request),
    defer: async (request) => progress.defer(request),
    touch: (id, leaseSeconds) => whenNotBusy(CALL_TRIES, () => void jobs.touch.run({ id, leaseSeconds })),
    sweep: async (leaseSeconds) => void remove.sweep(leaseSeconds),
    evict: async (maxBytes) => void remove.evict(maxBytes),
    async findJob(id) {
      const row = jobs.find.first({ id });
      return row && toJob(row);
    },
    async targetsAfter<O extends object>(id: string, afterIndex: number, limit: number) {
      return targets.after.all({ jobId: id, afterIndex, limit }).map((row) => toTargetStatus<O>(row));
    },
    timesAfter: async (id, afterIndex, limit) =>
      targets.timesAfter.all({ jobId: id, afterIndex, limit }).map(toTargetTimes),
  };
}
