import type { WorkerEvent } from "../machines/worker-machine.js";
import { INTERRUPTED } from "../target.js";
import { faultEnding } from "./ending.js";
import { countsOf, type Flight, type LiveJob } from "./live-job.js";
import type { Runtime } from "./runtime.js";
import { tryWrite } from "./try-write.js";

/** Marks a job's next target as started and reads what its fetch is to be given. */
export async function startTarget(runtime: Runtime, job: LiveJob): Promise<WorkerEvent> {
  const index = countsOf(job).targetsDone;
  const startedAtMs = Math.trunc(runtime.clock.now());
  const { maxInterrupted } = runtime.settings;
  const request = { jobId: job.id, index, startedAtMs, maxInterrupted };
  const start = await tryWrite(runtime, job, () => runtime.store.start(request));
  if (start.kind === "refused") return { type: "target.unstarted" };
  if (start.kind === "given up") return faulted(job, index, 0, startedAtMs);
  const { answer } = start;
  if (answer.outcome === "gone") return { type: "target.refused" };
  if (answer.outcome === "unreadable") return faulted(job, index, answer.attempts, startedAtMs);
  if (answer.outcome === "interrupted") return faulted(job, index, answer.attempts, startedAtMs, INTERRUPTED);
  const { url, options, attempts: attempt } = answer;
  job.flight = { index, attempt, url, options, startedAtMs, counted: false };
  return { type: "target.started", index, attempt, first: job.actor.getSnapshot().matches("queued") };
}

function faulted(job: LiveJob, index: number, attempt: number, startedAtMs: number, error?: string): WorkerEvent {
  const flight: Flight = { index, attempt, url: "", options: {}, startedAtMs, counted: false };
  job.flight = { ...flight, ending: faultEnding(flight, error) };
  return { type: "target.faulted" };
}
