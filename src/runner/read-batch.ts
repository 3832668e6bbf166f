import { createHash } from "node:crypto";
import { BatchError } from "../errors.js";
import { readGuarded } from "../guard.js";
import type { Caller } from "../target.js";
import type { Batch } from "./batch-runner.js";
import { type EncodedTarget, EncodeError, encodeOptions, encodeString, encodeTargets } from "./encode-targets.js";

/** A batch as submitted, checked and copied: nothing of the user's but the signal is read after this. */
export interface Submission {
  caller: Caller;
  callerName: string;
  callerClass: string;
  targets: EncodedTarget[];
  idempotencyKey: string;
  throwIfAborted: () => void;
}

/** Checks a batch in the order of R1.1; throws what its submit rejects with. */
export function readBatch<C extends Caller, O extends object>(batch: Batch<C, O>): Submission {
  const caller = readGuarded(() => batch.caller) as C;
  const callerName = text(
    "caller.name",
    readGuarded(() => caller.name),
  );
  const callerClass = text("callerClass", read("callerClass", () => batch.callerClass) ?? "");
  const ownKey = read("idempotencyKey", () => batch.idempotencyKey);
  if (ownKey !== undefined && text("idempotencyKey", ownKey) === "")
    throw new TypeError("idempotencyKey must not be empty");
  const targets = readTargets(readGuarded(() => batch.targets));
  const signal = readGuarded(() => batch.signal);
  const throwIfAborted = () => {
    if (readGuarded(() => signal?.aborted) === true) throw readGuarded(() => signal?.reason);
  };
  throwIfAborted();
  const key = idempotencyKey(callerName, targets, ownKey);
  return { caller, callerName, callerClass, targets, idempotencyKey: key, throwIfAborted };
}

function readTargets(targets: unknown): EncodedTarget[] {
  const length = readGuarded(() => (Array.isArray(targets) ? targets.length : 0)) ?? 0;
  if (!Number.isSafeInteger(length) || length <= 0) throw new BatchError("ERR_NO_TARGETS");
  const encoded: EncodedTarget[] = [];
  for (let index = 0; index < length; index++) encoded.push(readTarget(targets as unknown[], index));
  return encoded;
}

function readTarget(targets: readonly unknown[], index: number): EncodedTarget {
  try {
    const target = targets[index] as { url?: unknown; options?: unknown } | null | undefined;
    const url = target?.url;
    if (typeof url !== "string") throw new EncodeError("url is not a string");
    if (!url.isWellFormed()) throw new EncodeError("url holds a lone surrogate");
    return { url, options: encodeOptions(target?.options) };
  } catch (error) {
    // Whatever a getter throws may hold a URL, so only our own words are passed on.
    const reason = error instanceof EncodeError ? error.message : "cannot be read";
    throw new BatchError("ERR_INVALID_TARGET", { index, reason });
  }
}

/** A field that cannot be read is not taken for absent: a job would be stored without its key. */
function read<T>(field: string, value: () => T): T {
  try {
    return value();
  } catch {
    throw new TypeError(`${field} cannot be read`);
  }
}

function text(field: string, value: unknown): string {
  if (typeof value !== "string") throw new TypeError(`${field} must be a string`);
  if (!value.isWellFormed()) throw new TypeError(`${field} must not hold a lone surrogate`);
  return value;
}

/** R1.2: a user's own key stands in the place of the targets; one begins with a quote, the other with a bracket. */
function idempotencyKey(callerName: string, targets: EncodedTarget[], ownKey: string | undefined): string {
  const subject = ownKey === undefined ? encodeTargets(targets) : encodeString(ownKey);
  return createHash("sha256").update(`${callerName}\0${subject}`).digest("hex");
}
