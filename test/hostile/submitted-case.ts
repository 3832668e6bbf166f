import { MARK, SECRET } from "./scene.js";

/** A batch that is submitted, and either what it is refused with or what is stored of it. */
export interface SubmittedCase {
  name: string;
  make(): unknown;
  /** Done to the batch at once after `submit` was called. */
  afterwards?: (batch: never) => void;
  /** `TypeError: message`, or `CODE(index): message` of a BatchError, or `reason <reason>` of a signal. */
  refused?: string;
  /** What differs of the batch as stored from `STORED`. */
  stored?: Partial<StoredBatch>;
}

export interface StoredBatch {
  caller: string;
  callerClass: string;
  /** Each target as its URL and the JSON of its options, as it is stored and as the fetch is given it. */
  targets: [url: string, options: string][];
}

export const NAME = `caller ${MARK}`;
export const CALLER = { name: NAME };
export const TARGET = { url: SECRET };
export const STORED: StoredBatch = { caller: NAME, callerClass: "", targets: [[SECRET, "{}"]] };

/** A batch that would be stored as `STORED`, but for what is given. */
export function batchWith(more: object = {}): object {
  return { caller: CALLER, callerClass: "", targets: [TARGET], ...more };
}

/** A batch of a good target, the given one, and another good one. */
export function batchAround(target: unknown): object {
  return batchWith({ targets: [TARGET, target, TARGET] });
}

export function refuses(name: string, make: () => unknown, refused: string): SubmittedCase {
  return { name, make, refused };
}

/** A batch whose target at index 1 is malformed. */
export function invalid(name: string, make: () => unknown, reason: string): SubmittedCase {
  return refuses(name, make, `ERR_INVALID_TARGET(1): invalid target at index 1: ${reason}`);
}

export function stores(name: string, make: () => unknown, stored: Partial<StoredBatch> = {}): SubmittedCase {
  return { name, make, stored };
}
