import type { Store } from "@xstate/store";
import type { Logger } from "pino";
import type { InspectionEvent, Observer } from "xstate";
import type { Clock } from "../clock.js";
import type { Job, JobReport } from "../job.js";
import type { BatchStore, LeftJob } from "../store/batch-store.js";
import type { Caller, FetchOptions, Result, Target, TargetStatus } from "../target.js";

/** What a fetch is told beside its target. `signal` is aborted by `close()` and by the target's time limit; `attempt` counts from 1. */
export interface FetchContext<C extends Caller = Caller> {
  caller: C;
  signal: AbortSignal;
  jobId: string;
  index: number;
  attempt: number;
}

/** Fetches one target: returns its result, or throws `TargetError` (failed), `RetryLaterError` (try again later) or anything else (failed). */
export type FetchFunc<C extends Caller = Caller, O extends object = FetchOptions> = (
  target: Target<O>,
  context: FetchContext<C>,
) => Result | Promise<Result>;

/** Called as things happen, after they are stored. What a hook throws, rejects or returns changes nothing. */
export interface Hooks {
  job?(outcome: "created" | "reused" | "done" | "partial" | "failed" | "cancelled"): void;
  /** After each stored target: the value as thrown (undefined on success), the fetch's duration, the bytes of the result's JSON. */
  target?(error: unknown, durationMs: number, resultBytes: number): void;
  /** Once for each job that ended by itself: seconds since its submit. */
  jobSeconds?(seconds: number): void;
  depth?(live: number): void;
  inflight?(count: number): void;
}

/** The numbers a runner keeps in view: live jobs, and targets being fetched (R7). */
export interface GaugeContext {
  live: number;
  inflight: number;
}

export type Gauges = Store<GaugeContext, { changed: Partial<GaugeContext> }, never>;

/** How a runner is made. Durations are in milliseconds; an option that is undefined or 0 takes its default. */
export interface RunnerConfig<C extends Caller = Caller, O extends object = FetchOptions> {
  store: BatchStore;
  fetch: FetchFunc<C, O>;
  /** How long an ended job is kept and reused; 24 h. */
  ttlMs?: number;
  /** 32. */
  targetsPerJob?: number;
  /** Live jobs of one caller; 1. */
  jobsPerCaller?: number;
  /** Live jobs in all; 8. */
  jobsTotal?: number;
  /** Targets fetched at once; 1. */
  workers?: number;
  /** What `workers` is clamped to; 2. */
  workersMax?: number;
  /** Bytes kept in the store before ended jobs are evicted; 64 MiB. */
  maxBytes?: number;
  /** The wait before a target, or a failed write, is tried again; 2 s. */
  retryWaitMs?: number;
  /** How long one target, or a failing store, is tried again; 10 min. */
  retryForMs?: number;
  /** The time limit of one fetch; none. */
  targetTimeoutMs?: number;
  /**
   * Asked at start for each live job that a dead or closed runner left, in submit order: whoever it returns is its caller from
   * now on, and the job goes on where it stood. Undefined, or a throw: the job fails as `interrupted`, as it does without this.
   */
  resume?: (job: LeftJob) => C | undefined | Promise<C | undefined>;
  /** A target whose attempts died with the process so often fails as `interrupted`; 3. */
  maxInterrupted?: number;
  hooks?: Hooks;
  /** A pino logger; silent where absent. */
  logger?: Logger;
  clock?: Clock;
  /** Watches every actor, as xstate's `inspect` does. Costs time even when it does nothing. */
  inspect?: Observer<InspectionEvent> | ((event: InspectionEvent) => void);
}

/** A job to submit. The same caller with the same targets, or the same `idempotencyKey`, gets the same job within the TTL. */
export interface Batch<C extends Caller = Caller, O extends object = FetchOptions> {
  caller: C;
  callerClass: string;
  targets: Target<O>[];
  idempotencyKey?: string;
  /** Aborted before the job is stored: the submit rejects with its reason. */
  signal?: AbortSignal;
}

/** `drain` first lets live jobs finish; after `timeoutMs` (default none) closing ends whatever is still in flight. */
export interface CloseOptions {
  drain?: boolean;
  timeoutMs?: number;
}

/** Runs batches; made by `createBatchRunner`. */
export interface BatchRunner<C extends Caller = Caller, O extends object = FetchOptions> extends AsyncDisposable {
  /** Stores the job and resolves to its id (R1). Rejects with `BatchError`, `TypeError` for a bad caller or key, the signal's reason, or the store's error. */
  submit(batch: Batch<C, O>): Promise<{ id: string; reused: boolean }>;
  /** Cancels a live job at once; false for an unknown or an ended one (R5). */
  cancel(id: string): Promise<boolean>;
  /** The job and its targets as stored, or undefined for an unknown id. Writes nothing (R6). */
  status(id: string): Promise<JobReport<O> | undefined>;
  /** The job's targets in index order, read in pages; for jobs too large for one array. */
  results(id: string): AsyncIterable<TargetStatus<O>>;
  /** The job now and then at each change, the newest state only; ends once it is terminal, or at `close()`. */
  watch(id: string): AsyncIterable<Job>;
  /** Starts the job's TTL anew. */
  touch(id: string): Promise<void>;
  /** Resolves when no job is live. */
  idle(): Promise<void>;
  /** Stops the runner and gives the store back. Every call returns the first one's promise. */
  close(options?: CloseOptions): Promise<void>;
  readonly gauges: Gauges;
}
