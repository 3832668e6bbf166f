import type { BatchErrorCode } from "../errors.js";
import type { EndStatus, Job, JobReport, JobStatus } from "../job.js";
import type { FetchOptions, TargetState, TargetStatus } from "../target.js";

/** Which jobs to list, newest first: of one caller, in one status, submitted before the job `before`, none where that is gone; `limit` defaults to 100. */
export interface JobFilter {
  caller?: string;
  status?: JobStatus;
  limit?: number;
  before?: string;
}

/** What a runner asks the store to admit: the whole of R1.2 to R1.4, decided in one transaction. */
export interface AdmissionRequest {
  id: string;
  caller: string;
  callerClass: string;
  idempotencyKey: string;
  /** Each target as the store keeps it: options in their normal form, as JSON. */
  targets: readonly { url: string; options: string }[];
  nowSeconds: number;
  ttlMs: number;
  limits: { targetsPerJob: number; jobsPerCaller: number; jobsTotal: number };
  /** Called before a further try of a store that was busy: throws what the submit is then rejected with. */
  throwIfUnwanted?: () => void;
}

export type Refusal = Extract<BatchErrorCode, "ERR_TOO_MANY_TARGETS" | "ERR_CALLER_BUSY" | "ERR_BUSY">;

export type Admission =
  | { outcome: "created" }
  | { outcome: "reused"; id: string }
  | { outcome: "refused"; code: Refusal; limit: number; count: number };

export interface StartRequest {
  jobId: string;
  index: number;
  startedAtMs: number;
  /** A target that was interrupted so often is not started again. */
  maxInterrupted: number;
}

/**
 * `gone`: the job was cancelled by somebody else, or its rows are. `unreadable`: the job lives, the target's row does not.
 * `interrupted`: as often as it may be.
 */
export type Start =
  | { outcome: "started"; url: string; options: object; attempts: number }
  | { outcome: "unreadable"; attempts: number }
  | { outcome: "interrupted"; attempts: number }
  | { outcome: "gone" };

/** How one target ended, as the store keeps it; `result` is JSON. */
export interface TargetOutcome {
  index: number;
  status: "done" | "failed";
  result: string | null;
  error: string;
  hint: string;
  finishedAtMs: number;
}

/** Outcomes to store in one transaction with the job's counts after them, and its end when the last is among them. */
export interface SettleRequest {
  jobId: string;
  outcomes: readonly TargetOutcome[];
  targetsDone: number;
  targetsFailed: number;
  end: EndStatus | undefined;
}

/**
 * A started target to put back to pending; the attempt does not count where it is `unfetched`. Wall times in ms: when it is due again (null: at once), and since when it has been
 * asking to be tried later (null: it has not).
 */
export interface DeferRequest {
  jobId: string;
  index: number;
  retryAtMs: number | null;
  retrySinceMs: number | null;
  unfetched?: boolean;
}

/** A live job that a dead or closed runner left; `lease` is in unix seconds. */
export interface LeftJob extends Job {
  lease: number;
}

/** A job to take up again where its rows stand, and what its next target was put back with. */
export interface ResumedJob extends Pick<DeferRequest, "retryAtMs" | "retrySinceMs"> {
  job: Job;
}

export interface Recovery {
  resumed: ResumedJob[];
  /** Ids of the jobs that failed as `interrupted`. */
  interrupted: string[];
}

/** What the rows say after a target was settled: whether the job was still live before, and the bytes of all jobs. */
export interface Settlement {
  live: boolean;
  bytes: number;
  /** The answer to the start that came with it; none where that one failed. */
  started?: Start;
}

/** When a target was started last, when it ended, and when it is due again: wall times in ms, each where its row says so. */
export interface TargetTimes {
  index: number;
  status: TargetState;
  attempts: number;
  startedAtMs: number | undefined;
  finishedAtMs: number | undefined;
  retryAtMs: number | undefined;
}

/**
 * Where every state of every job lives. The first four methods are for people and work from any process;
 * the rest is the runner's. Each method is one transaction, and none assumes that the store answers at once.
 */
export interface BatchStore {
  /** The job with all of its targets, or undefined for an unknown id. Writes nothing. */
  status<O extends object = FetchOptions>(id: string): Promise<JobReport<O> | undefined>;
  /** The jobs that fit the filter, newest first. */
  list(filter?: JobFilter): Promise<Job[]>;
  /** Ends a live job as cancelled; false for an unknown or a terminal one. A runner at work finds it before the job's next target. */
  cancel(id: string): Promise<boolean>;
  /** Closes the store; a second call does nothing. */
  close(): Promise<void>;

  /** Takes the store for one runner and resolves to what gives it back; rejects with `ERR_STORE_IN_USE`. */
  own(): Promise<() => Promise<void>>;
  /** The live jobs of an earlier owner, in submit order. */
  left(): Promise<LeftJob[]>;
  /** Puts right what it left: running targets become pending and count as interrupted; live jobs fail, but for those to resume. Both in submit order. */
  recover(resume: ReadonlySet<string>): Promise<Recovery>;
  /** Tells the next owner that the targets left running were given up in good order: they do not count as interrupted. */
  leave(): Promise<void>;
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Removes a job that was admitted but will not be run. */
  withdraw(id: string): Promise<void>;
  start(request: StartRequest): Promise<Start>;
  /** With `next`, starts that target in the same transaction; a start that fails leaves the settling alone. */
  settle(request: SettleRequest, next?: StartRequest): Promise<Settlement>;
  /** Puts a target that was started back to pending; false when its job is no longer live. */
  defer(request: DeferRequest): Promise<boolean>;
  touch(id: string, leaseSeconds: number): Promise<void>;
  /** Removes terminal jobs whose lease is older than `leaseSeconds`. */
  sweep(leaseSeconds: number): Promise<void>;
  /** Removes terminal jobs, oldest lease first, until all bytes fit into `maxBytes` or only live jobs are left. */
  evict(maxBytes: number): Promise<void>;
  findJob(id: string): Promise<Job | undefined>;
  /** Targets in index order, from the one after `afterIndex` on: at most `limit`, and fewer where results are large; none at the end. */
  targetsAfter<O extends object = FetchOptions>(
    id: string,
    afterIndex: number,
    limit: number,
  ): Promise<TargetStatus<O>[]>;
  /** The same targets: when and how often they were tried, and none of their data. */
  timesAfter(id: string, afterIndex: number, limit: number): Promise<TargetTimes[]>;
}
