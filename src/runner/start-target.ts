import type { WorkerEvent } from "../machines/worker-machine.js";
import type { Start, StartRequest } from "../store/batch-store.js";
import { INTERRUPTED } from "../target.js";
import { faultEnding } from "./ending.js";
import { type Begun, countsOf, type Flight, hasMoreTargets, type LiveJob } from "./live-job.js";
import type { Runtime } from "./runtime.js";
import { noteAccepted, tryWrite } from "./try-write.js";

/** Marks a job's next target as started and reads what its fetch is to be given. */
export async function startTarget(runtime: Runtime, job: LiveJob): Promise<WorkerEvent> {
  const { begun } = job;
  job.begun = undefined;
  if (begun !== undefined) return started(runtime, job, begun);
  const request = startRequest(runtime, job, countsOf(job).targetsDone);
  const written = await tryWrite(runtime, job, () => storeStart(runtime, job, request));
  if (written.kind === "refused") return { type: "target.unstarted" };
  if (written.kind === "given up") return faulted(runtime, job, request, 0);
  return started(runtime, job, { request, start: written.answer });
}

/** R8: outcomes that the store would not take go along, or rows would say that a target runs before the one ahead of it is over. */
async function storeStart(runtime: Runtime, job: LiveJob, request: StartRequest): Promise<Start> {
  const started = job.unsaved.length === 0 ? undefined : await storeWithHeld(runtime, job, request);
  if (started !== undefined) return started;
  // Nobody hears of it any more, and nothing more is written.
  if (runtime.phase === "closed") return { outcome: "gone" };
  return runtime.store.start(request);
}

async function storeWithHeld({ store }: Runtime, job: LiveJob, request: StartRequest): Promise<Start | undefined> {
  const { targetsDone, targetsFailed } = countsOf(job);
  try {
    const settle = { jobId: job.id, outcomes: job.unsaved, targetsDone, targetsFailed, end: undefined };
    const { started } = await store.settle(settle, request);
    job.unsaved = [];
    return started;
  } catch {
    // They go along with the next write; the target may be started all the same.
    return undefined;
  }
}

export function startRequest({ clock, settings }: Runtime, job: LiveJob, index: number): StartRequest {
  const { maxInterrupted } = settings;
  return { jobId: job.id, index, startedAtMs: Math.trunc(clock.now()), maxInterrupted };
}

/** Takes the answer to a start that was stored together with another target; tells of it unless there is more to it. */
export function begin(
  job: LiveJob,
  request: StartRequest | undefined,
  start: Start | undefined,
): { index: number; attempt: number } | undefined {
  if (request === undefined || start === undefined) return undefined;
  noteAccepted(job);
  if (start.outcome !== "started" || job.actor.getSnapshot().matches("queued")) {
    job.begun = { request, start };
    return undefined;
  }
  job.flight = flightOf(request, start);
  return { index: request.index, attempt: start.attempts };
}

function flightOf({ index, startedAtMs }: StartRequest, start: Start & { outcome: "started" }): Flight {
  const { url, options, attempts: attempt } = start;
  return { index, attempt, url, options, startedAtMs, counted: false };
}

async function started(runtime: Runtime, job: LiveJob, { request, start }: Begun): Promise<WorkerEvent> {
  if (start.outcome === "gone") return { type: "target.refused" };
  if (start.outcome === "unreadable") return faulted(runtime, job, request, start.attempts);
  if (start.outcome === "interrupted") return faulted(runtime, job, request, start.attempts, INTERRUPTED);
  job.flight = flightOf(request, start);
  const first = job.actor.getSnapshot().matches("queued");
  return { type: "target.started", index: request.index, attempt: start.attempts, first };
}

/** The event loop turns here too: a job whose targets are all faults would otherwise never let go of it. */
async function faulted(
  { eventLoopTurn }: Runtime,
  job: LiveJob,
  { index, startedAtMs }: StartRequest,
  attempt: number,
  error?: string,
): Promise<WorkerEvent> {
  const flight: Flight = { index, attempt, url: "", options: {}, startedAtMs, counted: false };
  job.flight = { ...flight, ending: faultEnding(flight, error) };
  await eventLoopTurn.passed();
  return { type: "target.faulted", hasMore: hasMoreTargets(job) };
}
