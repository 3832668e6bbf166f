import type { Logger } from "pino";
import { callGuarded, readGuarded } from "../guard.js";

/** All that a log line may hold (R8): never a URL, a host, or an error's text. */
export interface LogFields {
  jobId?: string;
  index?: number;
  attempt?: number;
  status?: string;
  code?: string;
  targets?: number;
  failed?: number;
  waitMs?: number;
}

type Level = "debug" | "info" | "warn";

export type Log = Record<Level, (message: string, fields: LogFields) => void>;

/** Writes to the user's logger, whatever that does; to nowhere where there is none. */
export function guardedLog(logger: Logger | undefined): Log {
  const at = (level: Level) =>
    logger === undefined
      ? () => {}
      : (message: string, fields: LogFields) => callGuarded(() => logger[level](fields, message));
  return { debug: at("debug"), info: at("info"), warn: at("warn") };
}

/** The code of a store's error, where it is one that cannot hold anything else: `SQLITE_FULL`, `ENOSPC`, `ERR_…`. */
export function storeErrorCode(error: unknown): string {
  const code = readGuarded(() => (error as { code?: unknown }).code);
  return typeof code === "string" && /^(SQLITE|ERR|E)[A-Z_]{1,60}$/.test(code) ? code : "unknown";
}
