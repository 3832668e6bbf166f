import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import { admission } from "./admission.js";
import type { BatchStore, Settlement, SettleRequest, StartRequest } from "./batch-store.js";
import { isBusy, whenNotBusy } from "./busy.js";
import { checkpoints } from "./checkpoints.js";
import { openConnection } from "./connection.js";
import { jobStatements } from "./job-statements.js";
import { lockWait } from "./lock-wait.js";
import { migrate } from "./migrations.js";
import { fileOwnership, privateOwnership } from "./ownership.js";
import { recovery } from "./recovery.js";
import { removal } from "./removal.js";
import { type Commit, sharedCommit } from "./shared-commit.js";
import { storeReads } from "./store-reads.js";
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

/** Each method runs one synchronous transaction, or its part of one: no await, and so nothing else, can come between. */
function sqliteStore(database: Database): BatchStore {
  const jobs = jobStatements(database);
  const targets = targetStatements(database);
  const admit = admission(database, jobs, targets);
  const progress = targetProgress(jobs, targets);
  const remove = removal(database, jobs);
  const takeOwnership = database.memory ? privateOwnership() : fileOwnership(database.name);
  const recover = recovery(database, jobs, targets);
  const { after, end } = checkpoints(database);
  const locked = lockWait(database);
  const commit = sharedCommit(database, locked, (writes) => after(undefined, writes));
  const call = <T>(work: () => T, beforeAnother?: () => void) =>
    whenNotBusy(CALL_TRIES, () => locked(work), beforeAnother);
  return {
    ...storeReads(database, jobs, targets),
    cancel: (id) => call(() => after(jobs.cancel.run({ id }) > 0)),
    async close() {
      // Closed first: the thread's connection is then the last, and what is left of the log is copied by it and not here.
      database.close();
      await end();
    },

    async own() {
      if (!database.open) throw new Error("the store is closed");
      const giveBack = takeOwnership();
      return async () => giveBack();
    },
    leave: async () => void after(locked(() => targets.leave.run({}))),
    recover: (resume) => call(() => after(recover(resume))),
    admit: (request) => call(() => after(admit(request), request.targets.length), request.throwIfUnwanted),
    withdraw: (id) => call(() => void after(jobs.remove.run({ id }))),
    start: (request) => commit(() => progress.start(request)),
    settle: (request, next) => settleAndStart(commit, progress, request, next),
    defer: (request) => commit(() => progress.defer(request)),
    touch: (id, leaseSeconds) => call(() => void after(jobs.touch.run({ id, leaseSeconds }))),
    async sweep(leaseSeconds) {
      while (locked(() => after(remove.sweep(leaseSeconds)))) {
        await nextTurn();
        // Closed meanwhile: what is left leaves at the next start.
        if (!database.open) return;
      }
    },
    evict: async (maxBytes) => void after(locked(() => remove.evict(maxBytes))),
  };
}

function settleAndStart(
  commit: Commit,
  { settle }: ReturnType<typeof targetProgress>,
  request: SettleRequest,
  next: StartRequest | undefined,
): Promise<Settlement> {
  const settled = commit(() => settle(request, next));
  if (next === undefined) return settled;
  return settled.catch((error: unknown) => {
    if (isBusy(error)) throw error;
    // What is wrong with the next target is no matter of this one.
    return commit(() => settle(request));
  });
}
