export type { Clock } from "./clock.js";
export { BatchError, type BatchErrorCode, RetryLaterError, TargetError } from "./errors.js";
export type { Job, JobReport, JobStatus } from "./job.js";
export type {
  Batch,
  BatchRunner,
  CloseOptions,
  FetchContext,
  FetchFunc,
  GaugeContext,
  Gauges,
  Hooks,
  RunnerConfig,
} from "./runner/batch-runner.js";
export { createBatchRunner } from "./runner/create-batch-runner.js";
export type { BatchStore, JobFilter, LeftJob } from "./store/batch-store.js";
export { openSqliteStore } from "./store/open-sqlite-store.js";
export type { Caller, FetchOptions, Result, Target, TargetState, TargetStatus } from "./target.js";
