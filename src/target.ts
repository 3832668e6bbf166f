/** Who submits: `name` counts against the caps; the object itself stays in memory and is handed to the fetch. */
export interface Caller {
  name: string;
  workspace?: string;
  keySha256?: string;
}

/**
 * The options that fairbatch knows by name: empty texts, and a `recover` of false, count as left out (R1.2). For others of your
 * own, which are carried along as they are, name their type: `createBatchRunner<Caller, MyOptions>`.
 */
export interface FetchOptions {
  mode?: string;
  question?: string;
  pages?: string;
  grep?: string;
  jq?: string;
  context?: boolean;
  recover?: boolean;
}

/** One piece of a job: a URL and what the fetch needs to know about it. */
export interface Target<O extends object = FetchOptions> {
  url: string;
  options?: O;
}

/** What a successful fetch returns; stored as JSON. */
export interface Result {
  content: string;
  meta?: Record<string, unknown>;
}

export type TargetState = "pending" | "running" | "done" | "failed";

/** One target as it stands in the store. `attempts` counts how often its fetch was begun, or was about to be as the process died. */
export interface TargetStatus<O extends object = FetchOptions> {
  index: number;
  url: string;
  options: O;
  status: TargetState;
  result?: Result;
  error: string;
  hint: string;
  attempts: number;
}

/** The error text of a target that failed through no fault of its own: a bug, a broken row, a lost write. */
export const INTERNAL_ERROR = "internal error";

/** The error text of a job whose runner died, and of a target that was under way at too many such deaths. */
export const INTERRUPTED = "interrupted";
