import type { WorkerEvent } from "../machines/worker-machine.js";
import { faultEnding } from "./ending.js";
import { countsOf, type Flight, type LiveJob } from "./live-job.js";
import type { Runtime } from "./runtime.js";
import { tryWrite } from "./try-write.js";

/** Marks a job's next target as started and reads what its fetch is to be given. */
export async function startTarget(runtime: Runtime, job: LiveJob): Promise<WorkerEvent> {
  const index = countsOf(job).targetsDone;
  const startedAtMs = Math.trunc(runtime.clock.now());
  const start = await tryWrite(runtime, job, () => runtime.store.start({ jobId: job.id, index, startedAtMs }));
  if (start.kind === "refused") return { type: "target.unstarted" };
  if (start.kind === "given up") return faulted(job, index, 0, startedAtMs);
  const { answer } = start;
  if (answer.outcome === "gone") return { type: "target.refused" };
  if (answer.outcome === "unreadable") return faulted(job, index, answer.attempts, startedAtMs);
  const { url, options, attempts: attempt } = answer;
  job.flight = { index, attempt, url, options, startedAtMs, counted: false };
  return { type: "target.started", index, attempt, first: job.actor.getSnapshot().matches("queued") };
}

function faulted(job: LiveJob, index: number, attempt: number, startedAtMs: number): WorkerEvent {
  const flight: Flight = { index, attempt, url: "", options: {}, startedAtMs, counted: false };
  job.flight = { ...flight, ending: faultEnding(flight) };
  return { type: "target.faulted" };
}
