export type BatchErrorCode =
  | "ERR_NO_TARGETS"
  | "ERR_TOO_MANY_TARGETS"
  | "ERR_CALLER_BUSY"
  | "ERR_BUSY"
  | "ERR_INVALID_TARGET"
  | "ERR_CLOSED"
  | "ERR_STORE_IN_USE";

const MESSAGES: Record<BatchErrorCode, string> = {
  ERR_NO_TARGETS: "no targets",
  ERR_TOO_MANY_TARGETS: "too many targets",
  ERR_CALLER_BUSY: "busy",
  ERR_BUSY: "jobs busy",
  ERR_INVALID_TARGET: "invalid target",
  ERR_CLOSED: "runner closed",
  ERR_STORE_IN_USE: "store in use by another runner",
};

/** What a refused call rejects with. A cap error carries `limit` and `count`, an invalid target its `index`; no message holds a URL. */
export class BatchError extends Error {
  override readonly name = "BatchError";
  readonly code: BatchErrorCode;
  declare readonly index?: number;
  declare readonly limit?: number;
  declare readonly count?: number;

  constructor(code: BatchErrorCode, details: { index?: number; limit?: number; count?: number; reason?: string } = {}) {
    const where = details.index === undefined ? "" : ` at index ${details.index}`;
    const why = details.reason === undefined ? "" : `: ${details.reason}`;
    super(MESSAGES[code] + where + why);
    this.code = code;
    if (details.index !== undefined) this.index = details.index;
    if (details.limit !== undefined) this.limit = details.limit;
    if (details.count !== undefined) this.count = details.count;
  }
}

/** Known to every copy of this package, so that a fetch may throw the errors of another one. */
const RETRY_LATER = Symbol.for("fairbatch.RetryLaterError");
const TARGET_FAILED = Symbol.for("fairbatch.TargetError");

/** Thrown by a fetch: the target failed for good. Its message and `hint` are stored; `status` is for your hooks. */
export class TargetError extends Error {
  override readonly name = "TargetError";
  declare readonly status?: number;
  readonly hint: string;

  constructor(message: string, options: { status?: number; hint?: string; cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    if (options.status !== undefined) this.status = options.status;
    this.hint = options.hint ?? "";
  }

  get [TARGET_FAILED](): true {
    return true;
  }
}

/** Thrown by a fetch: try this target again, after `afterMs` milliseconds where given, else after `retryWaitMs` (R3). */
export class RetryLaterError extends Error {
  override readonly name = "RetryLaterError";
  declare readonly afterMs?: number;

  constructor(message = "retry later", options: { afterMs?: number; cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    if (options.afterMs !== undefined) this.afterMs = options.afterMs;
  }

  get [RETRY_LATER](): true {
    return true;
  }
}

export function isRetryLaterError(value: unknown): value is RetryLaterError {
  return typeof value === "object" && value !== null && (value as RetryLaterError)[RETRY_LATER] === true;
}

export function isTargetError(value: unknown): value is TargetError {
  return typeof value === "object" && value !== null && (value as TargetError)[TARGET_FAILED] === true;
}
