import type { RunnerConfig } from "./batch-runner.js";

/** The numbers of a runner, each checked and with its default in place. */
export interface Settings {
  ttlMs: number;
  targetsPerJob: number;
  jobsPerCaller: number;
  jobsTotal: number;
  workers: number;
  maxBytes: number;
  retryWaitMs: number;
  retryForMs: number;
  /** 0: no limit. */
  targetTimeoutMs: number;
  maxInterrupted: number;
}

type NumberOption = {
  [K in keyof RunnerConfig]-?: RunnerConfig[K] extends number | undefined ? K : never;
}[keyof RunnerConfig];

/** Node fires a longer timer at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Reads the number options of a config; throws a `RangeError` that names the first bad one. */
export function readSettings(config: Pick<RunnerConfig, NumberOption>): Settings {
  const workersMax = wholeNumber("workersMax", config.workersMax, 2);
  return {
    ttlMs: wholeNumber("ttlMs", config.ttlMs, 24 * 60 * 60 * 1000),
    targetsPerJob: wholeNumber("targetsPerJob", config.targetsPerJob, 32),
    jobsPerCaller: wholeNumber("jobsPerCaller", config.jobsPerCaller, 1),
    jobsTotal: wholeNumber("jobsTotal", config.jobsTotal, 8),
    workers: Math.min(wholeNumber("workers", config.workers, 1), workersMax),
    maxBytes: wholeNumber("maxBytes", config.maxBytes, 64 * 1024 * 1024),
    retryWaitMs: timerMs("retryWaitMs", config.retryWaitMs, 2_000),
    retryForMs: timerMs("retryForMs", config.retryForMs, 10 * 60 * 1000),
    targetTimeoutMs: timerMs("targetTimeoutMs", config.targetTimeoutMs, 0),
    maxInterrupted: wholeNumber("maxInterrupted", config.maxInterrupted, 3),
  };
}

/** A duration that feeds a timer, in milliseconds; undefined and 0 are the default. */
export function timerMs(name: string, value: number | undefined, fallback: number): number {
  const checked = wholeNumber(name, value, fallback);
  if (checked > TIMER_MAX_MS) throw new RangeError(`${name} must be at most ${TIMER_MAX_MS}`);
  return checked;
}

function wholeNumber(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined || value === 0) return fallback;
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number, 0 or more`);
  return value;
}
