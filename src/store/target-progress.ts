import type { Database } from "better-sqlite3";
import { isLive } from "../job.js";
import type { DeferRequest, Settlement, SettleRequest, Start, StartRequest, TargetOutcome } from "./batch-store.js";
import type { jobStatements } from "./job-statements.js";
import { toStart } from "./rows.js";
import type { targetStatements } from "./target-statements.js";

type Jobs = ReturnType<typeof jobStatements>;
type Targets = ReturnType<typeof targetStatements>;

/** The writes that every target goes through: started, then settled or put back. Each is one transaction that looks at the job's row first. */
export function targetProgress(database: Database, jobs: Jobs, targets: Targets) {
  const start = database.transaction(({ jobId, index, startedAtMs, maxInterrupted }: StartRequest): Start => {
    const status = jobs.findStatus.first({ id: jobId })?.status;
    if (status === undefined || !isLive(status)) return { outcome: "gone" };
    if (status === "queued") jobs.setRunning.run({ id: jobId });
    const started = targets.start.first({ jobId, index, startedAtMs, maxInterrupted });
    if (started !== undefined) return toStart(started);
    const refused = targets.findRetry.first({ jobId, index });
    return refused === undefined ? toStart(refused) : { outcome: "interrupted", attempts: refused.attempts };
  });

  const settle = database.transaction((request: SettleRequest): Settlement => {
    const { jobId, outcomes, targetsDone, targetsFailed, end } = request;
    let addedBytes = 0;
    for (const outcome of outcomes) {
      targets.settle.run({ jobId, ...outcome });
      addedBytes += outcomeBytes(outcome);
    }
    const counts = { id: jobId, targetsDone, targetsFailed, addedBytes };
    const live = jobs.setCounts.run({ ...counts, status: end ?? "running" }) > 0;
    if (!live) jobs.setCountsOfTerminal.run(counts);
    return { live, bytes: jobs.totals.first({})?.nbytes ?? 0 };
  });

  const defer = database.transaction((request: DeferRequest): boolean => {
    const { jobId, index, retryAtMs, retrySinceMs } = request;
    targets.defer.run({ jobId, index, retryAtMs, retrySinceMs });
    const status = jobs.findStatus.first({ id: jobId })?.status;
    return status !== undefined && isLive(status);
  });

  return {
    start: (request: StartRequest) => start.immediate(request),
    settle: (request: SettleRequest) => settle.immediate(request),
    defer: (request: DeferRequest) => defer.immediate(request),
  };
}

function outcomeBytes({ result, error, hint }: TargetOutcome): number {
  return (result === null ? 0 : Buffer.byteLength(result)) + Buffer.byteLength(error) + Buffer.byteLength(hint);
}
