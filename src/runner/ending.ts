import { INTERNAL_ERROR } from "../target.js";
import type { Ending, Flight, LiveJob } from "./live-job.js";
import type { Runtime } from "./runtime.js";
import { failed, type Settled } from "./settle-fetch.js";
import { messageOf } from "./thrown.js";

type OverEnding = Ending & { kind: "over" };

/** What a settled fetch means for its target: over, or to be tried again within its window (R3). */
export function endingOf(runtime: Runtime, job: LiveJob, flight: Flight, settled: Settled, durationMs: number): Ending {
  if (settled.kind === "over") return over(flight, settled, durationMs);
  const nowMs = runtime.clock.monotonic();
  const { retryWaitMs, retryForMs } = runtime.settings;
  if (settled.kind === "aborted") return { kind: "later", dueMs: nowMs + retryWaitMs, asked: false };
  job.deferredSinceMs ??= nowMs;
  const leftMs = job.deferredSinceMs + retryForMs - nowMs;
  if (leftMs < 0) return over(flight, failed(messageOf(settled.thrown), "", settled.thrown), durationMs);
  // At the very end of the window no time is left, and a clock that stands still would bring one try after the other.
  const waitMs = Math.min(settled.afterMs ?? retryWaitMs, Math.max(leftMs, 1));
  return { kind: "later", dueMs: nowMs + waitMs, asked: true };
}

function over(flight: Flight, settled: Settled & { kind: "over" }, durationMs: number): OverEnding {
  const { status, result, error, hint, thrown } = settled;
  const finishedAtMs = flight.startedAtMs + Math.round(durationMs);
  const outcome = { index: flight.index, status, result, error, hint, finishedAtMs };
  return { kind: "over", outcome, thrown, durationMs, resultBytes: result === null ? 0 : Buffer.byteLength(result) };
}

/** The ending of a target that failed without a fetch: its row cannot be read or written, or it was interrupted too often. */
export function faultEnding(flight: Flight, error = INTERNAL_ERROR): OverEnding {
  return over(flight, failed(error, "", new Error(error)), 0);
}
