import type { JobEvent } from "../../src/machines/job-machine.js";
import type { Step } from "./machine-actors.js";

/** The pause before a refused write is tried again, of the jobs that `startJob` makes. */
export const RETRY_WAIT_MS = 2_000;

export const taken: JobEvent = { type: "target.taken" };
export const started: JobEvent = { type: "target.started" };
export const refused: JobEvent = { type: "target.refused" };
export const unstarted: JobEvent = { type: "target.unstarted" };
export const unsaved: JobEvent = { type: "target.unsaved" };
export const cancel: JobEvent = { type: "job.cancel" };
export const saveNow: JobEvent = { type: "job.save" };

/** `gone`: the store found the job cancelled by somebody else. */
export function stored(how: "ok" | "failed" = "ok", whose: "live" | "gone" = "live"): JobEvent {
  return { type: "target.stored", failed: how === "failed", live: whose === "live" };
}

/** The worker goes on with the target after it. */
export function storedAgain(how: "ok" | "failed" = "ok"): JobEvent {
  return { type: "target.stored", failed: how === "failed", live: true, again: true };
}

export function deferred(waitMs: number, whose: "live" | "gone" = "live"): JobEvent {
  return { type: "target.deferred", waitMs, live: whose === "live" };
}

/** How a new job of three targets gets into each of its states. */
export const wayTo = {
  "queued.ready": [],
  "queued.starting": [taken],
  "queued.waiting": [taken, unstarted],
  "running.ready": [taken, started, stored()],
  "running.inFlight": [taken, started],
  "running.waiting": [taken, started, deferred(500)],
  "running.saving.pausing": [taken, started, unsaved],
  "running.saving.writing": [taken, started, unsaved, RETRY_WAIT_MS],
  "draining.inFlight": [taken, started, cancel],
  "draining.saving.pausing": [taken, started, cancel, unsaved],
  "draining.saving.writing": [taken, started, cancel, unsaved, RETRY_WAIT_MS],
  done: [taken, started, stored(), taken, stored(), taken, stored()],
  partial: [taken, started, stored(), taken, stored("failed"), taken, stored()],
  failed: [taken, started, stored("failed"), taken, stored("failed"), taken, stored("failed")],
  cancelled: [cancel],
} satisfies Record<string, Step<JobEvent>[]>;

export type JobState = keyof typeof wayTo;
