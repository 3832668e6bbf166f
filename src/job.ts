import type { TargetStatus } from "./target.js";

export type LiveStatus = "queued" | "running";
/** How a job ends by itself, once its last target is stored (R4). */
export type EndStatus = "done" | "partial" | "failed";
export type JobStatus = LiveStatus | EndStatus | "cancelled";

/** A job as it stands in the store. `targetsDone` counts stored targets, done and failed alike; `createdAt` is in unix seconds. */
export interface Job {
  id: string;
  caller: string;
  callerClass: string;
  status: JobStatus;
  error: string;
  targetsTotal: number;
  targetsDone: number;
  targetsFailed: number;
  createdAt: number;
}

/** A job with all of its targets, in index order. */
export interface JobReport<O extends object> {
  job: Job;
  targets: TargetStatus<O>[];
}

/** True until the job is done, partial, failed or cancelled. */
export function isLive(status: JobStatus): status is LiveStatus {
  return status === "queued" || status === "running";
}

/** The status of a job whose targets are all stored: done, failed when all of them failed, else partial (R4). */
export function endStatus(targetsTotal: number, targetsFailed: number): EndStatus {
  if (targetsFailed === 0) return "done";
  return targetsFailed === targetsTotal ? "failed" : "partial";
}
