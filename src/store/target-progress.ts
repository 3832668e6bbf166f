import type { Database } from "better-sqlite3";
import { isLive } from "../job.js";
import type { Settlement, SettleRequest, Start, StartRequest, TargetOutcome } from "./batch-store.js";
import type { jobStatements } from "./job-statements.js";
import { toStart } from "./rows.js";
import type { targetStatements } from "./target-statements.js";

type Jobs = ReturnType<typeof jobStatements>;
type Targets = ReturnType<typeof targetStatements>;

/** The writes that every target goes through: started, then settled or put back. Each is one transaction that looks at the job's row first. */
export function targetProgress(database: Database, jobs: Jobs, targets: Targets) {
  const start = database.transaction(({ jobId, index, startedAtMs }: StartRequest): Start => {
    const status = jobs.findStatus.first({ id: jobId })?.status;
    if (status === undefined || !isLive(status)) return { outcome: "gone" };
    if (status === "queued") jobs.setRunning.run({ id: jobId });
    return toStart(targets.start.first({ jobId, index, startedAtMs }));
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

  const defer = database.transaction((jobId: string, index: number): boolean => {
    targets.defer.run({ jobId, index });
    const status = jobs.findStatus.first({ id: jobId })?.status;
    return status !== undefined && isLive(status);
  });

  return {
    start: (request: StartRequest) => start.immediate(request),
    settle: (request: SettleRequest) => settle.immediate(request),
    defer: (jobId: string, index: number) => defer.immediate(jobId, index),
  };
}

function outcomeBytes({ result, error, hint }: TargetOutcome): number {
  return (result === null ? 0 : Buffer.byteLength(result)) + Buffer.byteLength(error) + Buffer.byteLength(hint);
}
