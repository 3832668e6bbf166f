import { readGuarded } from "../guard.js";
import type { TargetOutcome } from "../store/batch-store.js";
import { INTERNAL_ERROR } from "../target.js";
import { afterMsOf, hintOf, isAbort, kindOf, messageOf } from "./thrown.js";

/** What came of calling the fetch. `abandoned`: the runner has closed without waiting any longer. */
export type Answer =
  | { kind: "returned"; value: unknown }
  | { kind: "thrown"; thrown: unknown }
  | { kind: "timed out" }
  | { kind: "abandoned" };

/** How a target stands after its fetch: over, to be tried again, or left as it was because the runner is closing. */
export type Settled =
  | {
      kind: "over";
      status: TargetOutcome["status"];
      result: string | null;
      error: string;
      hint: string;
      thrown: unknown;
    }
  | { kind: "later"; thrown: unknown; afterMs: number | undefined }
  | { kind: "aborted" };

const TEXT_MAX_UNITS = 2_000;
/** Beyond what SQLite takes as one value. */
const RESULT_MAX_BYTES = 900_000_000;

/** Reads an answer by the rules of R3; `signal` is the one that the fetch was given. */
export function settleFetch(answer: Answer, signal: AbortSignal): Settled {
  if (answer.kind === "returned") return settleResult(answer.value);
  if (answer.kind === "timed out") return failed("timed out", "", new Error("timed out"));
  if (answer.kind === "abandoned") return { kind: "aborted" };
  const { thrown } = answer;
  if (signal.aborted && isAbort(thrown, signal)) return { kind: "aborted" };
  const kind = kindOf(thrown);
  if (kind === "fault") return failed(INTERNAL_ERROR, "", thrown);
  if (kind === "later") return { kind: "later", thrown, afterMs: afterMsOf(thrown) };
  return failed(messageOf(thrown), hintOf(thrown), thrown);
}

/** A target that failed; hooks are given the value as thrown, or an `Error` where that was undefined. */
export function failed(error: string, hint: string, thrown: unknown): Settled & { kind: "over" } {
  return {
    kind: "over",
    status: "failed",
    result: null,
    error: cut(error),
    hint: cut(hint),
    thrown: thrown === undefined ? new Error(INTERNAL_ERROR) : thrown,
  };
}

function settleResult(value: unknown): Settled {
  const result = typeof value === "object" && value !== null ? readGuarded(() => JSON.stringify(value)) : undefined;
  // A toJSON may have put anything in the place of the object.
  const storable =
    (result?.startsWith("{") || result?.startsWith("[")) && Buffer.byteLength(result) <= RESULT_MAX_BYTES;
  if (result === undefined || !storable) return failed("invalid result", "", new Error("invalid result"));
  return { kind: "over", status: "done", result, error: "", hint: "", thrown: undefined };
}

/** Cuts a text to what is stored, without parting a surrogate pair; a lone surrogate is replaced. */
function cut(text: string): string {
  if (text.length <= TEXT_MAX_UNITS) return text.toWellFormed();
  const last = text.charCodeAt(TEXT_MAX_UNITS - 1);
  const partsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, partsPair ? TEXT_MAX_UNITS - 1 : TEXT_MAX_UNITS).toWellFormed();
}
