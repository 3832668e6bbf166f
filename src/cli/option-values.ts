import { InvalidArgumentError } from "commander";
import { timerMs } from "../runner/settings.js";

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const UNIT_BYTES: Record<string, number> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** `500ms`, `2s`, `10m`, `1h`, `1d`, or a bare number of seconds, as milliseconds. */
export function parseDuration(text: string): number {
  try {
    return timerMs("duration", durationMs(text), 0);
  } catch (error) {
    throw error instanceof RangeError ? new InvalidArgumentError("The longest is 596h.") : error;
  }
}

/** A duration that is not 0. */
export function parseWait(text: string): number {
  const ms = parseDuration(text);
  if (ms === 0) throw new InvalidArgumentError("The shortest is 1ms.");
  return ms;
}

/** A duration that is not 0 and that no timer waits for, so that it may be of years. */
export function parseAge(text: string): number {
  const ms = durationMs(text);
  if (ms < 1 || !Number.isSafeInteger(ms)) throw new InvalidArgumentError("Give a duration such as 24h or 30d.");
  return ms;
}

function durationMs(text: string): number {
  const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError("Give a duration such as 500ms, 2s, 10m, 1h or 1d.");
  const exact = Number(number) * (UNIT_MS[unit] ?? 1);
  // 0 means something else than a short time.
  return Math.round(exact) || Math.ceil(exact);
}

/** A number of bytes, or of KiB, MiB or GiB: `65536`, `64k`, `1m`, `1g`. */
export function parseBytes(text: string): number {
  const [, number, unit] = /^(\d+)([kmg]?)$/.exec(text.toLowerCase()) ?? [];
  const bytes = Number(number) * (UNIT_BYTES[unit ?? ""] ?? 1);
  if (!Number.isSafeInteger(bytes)) throw new InvalidArgumentError("Give a size such as 65536, 64k or 1m.");
  return bytes;
}

/** A whole number, 1 or more. */
export function parseCount(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count < 1 || !Number.isSafeInteger(count)) throw new InvalidArgumentError("Give a whole number, 1 or more.");
  return count;
}
