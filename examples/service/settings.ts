/** What the service is run with; durations in milliseconds. README.md tells what each is for. */
export interface Settings {
  host: string;
  port: number;
  storePath: string;
  apiKeysFile: string;
  logLevel: string;
  allowPrivateTargets: boolean;
  maxRequestBytes: number;
  maxAnswerBytes: number;
  maxStoreBytes: number;
  targetTimeoutMs: number;
  retryForMs: number;
  targetsPerJob: number;
  jobsPerCaller: number;
  jobsTotal: number;
  workers: number;
  heartbeatMs: number;
  drainMs: number;
}

/** A setting that is missing or bad; the message begins with its name. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
const MANY = 1_000_000;
/** The longest wait that a timer of Node's can hold. */
const LONGEST_MS = 2 ** 31 - 1;
const MIB = 1024 * 1024;

/** Reads the settings from environment variables; throws a `SettingError` for the first bad one. */
export function readSettings(env: Record<string, string | undefined>): Settings {
  // A variable that is set to nothing counts as not set.
  const text = (name: string, fallback?: string) => {
    const value = env[name] || fallback;
    if (value === undefined) throw new SettingError(`${name} must be set`);
    return value;
  };
  const oneOf = (name: string, choices: readonly string[], fallback: string) => {
    const value = text(name, fallback);
    if (!choices.includes(value)) throw new SettingError(`${name} must be one of ${choices.join(", ")}`);
    return value;
  };
  const whole = (name: string, fallback: number, least: number, most: number) => {
    const value = text(name, String(fallback));
    if (!/^\d+$/.test(value) || Number(value) < least || Number(value) > most) {
      throw new SettingError(`${name} must be a whole number from ${least} to ${most}`);
    }
    return Number(value);
  };
  return {
    host: text("HOST", "127.0.0.1"),
    port: whole("PORT", 8080, 0, 65_535),
    storePath: text("STORE", "batches.sqlite"),
    apiKeysFile: text("API_KEYS_FILE"),
    logLevel: oneOf("LOG_LEVEL", LOG_LEVELS, "info"),
    allowPrivateTargets: oneOf("ALLOW_PRIVATE_TARGETS", ["yes", "no"], "no") === "yes",
    maxRequestBytes: whole("MAX_REQUEST_BYTES", MIB, 1, 1024 * MIB),
    maxAnswerBytes: whole("MAX_ANSWER_BYTES", MIB, 1, 256 * MIB),
    maxStoreBytes: whole("MAX_STORE_BYTES", 64 * MIB, 1, MANY * MIB),
    targetTimeoutMs: whole("TARGET_TIMEOUT_MS", 30_000, 1, LONGEST_MS),
    retryForMs: whole("RETRY_FOR_MS", 600_000, 1, LONGEST_MS),
    targetsPerJob: whole("TARGETS_PER_JOB", 32, 1, MANY),
    jobsPerCaller: whole("JOBS_PER_CALLER", 2, 1, MANY),
    jobsTotal: whole("JOBS_TOTAL", 64, 1, MANY),
    workers: whole("WORKERS", 4, 1, 1_000),
    heartbeatMs: whole("HEARTBEAT_MS", 15_000, 1, LONGEST_MS),
    drainMs: whole("DRAIN_MS", 25_000, 1, LONGEST_MS),
  };
}
