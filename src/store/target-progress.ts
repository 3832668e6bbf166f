import { isLive } from "../job.js";
import type { DeferRequest, Settlement, SettleRequest, Start, StartRequest, TargetOutcome } from "./batch-store.js";
import type { jobStatements } from "./job-statements.js";
import { toStart } from "./rows.js";
import type { targetStatements } from "./target-statements.js";

type Jobs = ReturnType<typeof jobStatements>;
type Targets = ReturnType<typeof targetStatements>;

/** The writes that every target goes through: started, then settled or put back. Each is to be made within a transaction. */
export function targetProgress(jobs: Jobs, targets: Targets) {
  function start({ jobId, index, startedAtMs, maxInterrupted }: StartRequest): Start {
    const values = { jobId, index, startedAtMs, maxInterrupted };
    const started = targets.startOfRunning.first(values) ?? startOfLive(values);
    if (started === "gone") return { outcome: "gone" };
    if (started !== undefined) return toStart(started);
    const refused = targets.findRetry.first({ jobId, index });
    return refused === undefined ? toStart(refused) : { outcome: "interrupted", attempts: refused.attempts };
  }

  /** The first target of a job, which sets it running; or one that `startOfRunning` refused. */
  function startOfLive(values: StartRequest) {
    const status = jobs.findStatus.first({ id: values.jobId })?.status;
    if (status === undefined || !isLive(status)) return "gone";
    if (status === "running") return undefined;
    jobs.setRunning.run({ id: values.jobId });
    return targets.startOfRunning.first(values);
  }

  function settle(
    { jobId, outcomes, targetsDone, targetsFailed, end }: SettleRequest,
    next?: StartRequest,
  ): Settlement {
    let addedBytes = 0;
    for (const outcome of outcomes) {
      targets.settle.run({ jobId, ...outcome });
      addedBytes += outcomeBytes(outcome);
    }
    const counts = { id: jobId, targetsDone, targetsFailed, addedBytes };
    // Most often the status stays as it is, and to write it all the same would cost its triggers.
    const live =
      (end === undefined && jobs.setCountsOfRunning.run(counts) > 0) ||
      jobs.setCounts.run({ ...counts, status: end ?? "running" }) > 0;
    if (!live) jobs.setCountsOfTerminal.run(counts);
    const bytes = jobs.totals.first({})?.nbytes ?? 0;
    return next === undefined ? { live, bytes } : { live, bytes, started: start(next) };
  }

  function defer({ jobId, index, retryAtMs, retrySinceMs, unfetched }: DeferRequest): boolean {
    targets.defer.run({ jobId, index, retryAtMs, retrySinceMs, uncounted: unfetched ? 1 : 0 });
    const status = jobs.findStatus.first({ id: jobId })?.status;
    return status !== undefined && isLive(status);
  }

  return { start, settle, defer };
}

function outcomeBytes({ result, error, hint }: TargetOutcome): number {
  return (result === null ? 0 : Buffer.byteLength(result)) + Buffer.byteLength(error) + Buffer.byteLength(hint);
}
