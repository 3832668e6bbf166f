import { endStatus, isLive } from "../job.js";
import type { DeferRequest, Settlement, SettleRequest, StartRequest, TargetOutcome } from "../store/batch-store.js";
import { faultEnding } from "./ending.js";
import { evict, keepEnd } from "./housekeeping.js";
import { countsOf, type Ending, type Flight, jobNow, type LiveJob, type SavedEvent } from "./live-job.js";
import type { Runtime } from "./runtime.js";
import { begin, startRequest } from "./start-target.js";
import { tryWrite } from "./try-write.js";

/**
 * Writes how the target in flight ended and, in the same transaction, that the next target of the job `next` is started; then
 * tells the world (R3, R4). Answers `target.unsaved` while the store refuses, and where it answers after the runner has closed:
 * then nobody is told any more, and the next start puts the row right.
 */
export function saveTarget(runtime: Runtime, job: LiveJob, next?: LiveJob): Promise<SavedEvent> {
  // A job that is cancelled while its write is tried may ask for it once more, though only eviction is left of it.
  job.saving ??= save(runtime, job, next);
  return job.saving;
}

async function save(runtime: Runtime, job: LiveJob, next: LiveJob | undefined): Promise<SavedEvent> {
  const flight = job.flight as Flight;
  const ending = flight.ending ?? faultEnding(flight);
  try {
    return await (ending.kind === "over"
      ? settle(runtime, job, flight, ending, next)
      : defer(runtime, job, flight, ending));
  } finally {
    job.saving = undefined;
  }
}

async function settle(
  runtime: Runtime,
  job: LiveJob,
  flight: Flight,
  { outcome, thrown, durationMs, resultBytes }: Ending & { kind: "over" },
  next: LiveJob | undefined,
): Promise<SavedEvent> {
  const { settings, store, hooks, gauges, log } = runtime;
  const request = settleRequest(job, outcome);
  const start = startAlong(runtime, job, next, request);
  const written = await tryWrite(runtime, job, () => store.settle(request, start));
  uncount(runtime, flight);
  if (written.kind === "refused" || runtime.phase === "closed") return { type: "target.unsaved" };
  const settled = written.kind === "written" ? written.answer : keepInMemory(runtime, job, request);
  if (written.kind === "written") job.unsaved = [];
  const { live, bytes } = settled;
  if (live && request.end !== undefined) gauges.addLive(-1);
  job.flight = undefined;
  job.deferredSinceMs = undefined;
  const nextTurn = prepareNextTurn(job, next, start, settled);
  log.debug("target stored", { jobId: job.id, index: outcome.index, status: outcome.status });
  hooks.target(thrown, durationMs, resultBytes);
  if (bytes > settings.maxBytes) await evict(runtime);
  return { type: "target.stored", failed: outcome.status === "failed", live, ...nextTurn };
}

/** The start that can be stored along; that of another job which has outcomes to be stored first is stored with those. */
function startAlong(runtime: Runtime, job: LiveJob, next: LiveJob | undefined, { targetsDone }: SettleRequest) {
  if (next === undefined) return undefined;
  if (next === job) return startRequest(runtime, job, targetsDone);
  return next.unsaved.length > 0 ? undefined : startRequest(runtime, next, countsOf(next).targetsDone);
}

/** The next turn of the worker that has stored a target: whether it is this very job's `again`, and the start that was stored along. */
function prepareNextTurn(
  job: LiveJob,
  next: LiveJob | undefined,
  start: StartRequest | undefined,
  { live, started }: Settlement,
) {
  job.justStored = true;
  if (next === undefined) return { again: false };
  next.justStored = true;
  const again = live && next === job;
  return { again, begun: again || next !== job ? begin(next, start, started) : undefined };
}

/** The counts and the end come from memory, which the rows equal as long as the store takes our writes. */
function settleRequest(job: LiveJob, outcome: TargetOutcome): SettleRequest {
  const counts = countsOf(job);
  const targetsDone = counts.targetsDone + 1;
  const targetsFailed = counts.targetsFailed + (outcome.status === "failed" ? 1 : 0);
  const end = targetsDone === counts.targetsTotal ? endStatus(counts.targetsTotal, targetsFailed) : undefined;
  return { jobId: job.id, outcomes: [...job.unsaved, outcome], targetsDone, targetsFailed, end };
}

function keepInMemory(runtime: Runtime, job: LiveJob, request: SettleRequest): Settlement {
  const now = jobNow(job);
  const live = isLive(now.status);
  const status = live ? request.end : now.status;
  const { targetsDone, targetsFailed } = request;
  if (status !== undefined) keepEnd(runtime, { job: { ...now, status, targetsDone, targetsFailed }, request });
  job.unsaved = status === undefined ? [...request.outcomes] : [];
  return { live, bytes: 0 };
}

async function defer(
  runtime: Runtime,
  job: LiveJob,
  flight: Flight,
  ending: Ending & { kind: "later" },
): Promise<SavedEvent> {
  const { store, clock, log } = runtime;
  const request = deferRequest(runtime, job, flight, ending);
  const written = await tryWrite(runtime, job, () => store.defer(request));
  uncount(runtime, flight);
  if (written.kind === "refused" || runtime.phase === "closed") return { type: "target.unsaved" };
  job.flight = undefined;
  const waitMs = Math.max(0, ending.dueMs - clock.monotonic());
  log.debug("target put back", { jobId: job.id, index: flight.index, attempt: flight.attempt, waitMs });
  return { type: "target.deferred", waitMs, live: written.kind === "given up" || written.answer };
}

/** Monotonic time ends with the process, so what outlasts it is told in wall time. */
function deferRequest(
  { clock }: Runtime,
  job: LiveJob,
  { index }: Flight,
  { dueMs, asked, unfetched }: Ending & { kind: "later" },
): DeferRequest {
  const aheadMs = clock.now() - clock.monotonic();
  const { deferredSinceMs } = job;
  return {
    jobId: job.id,
    index,
    retryAtMs: asked ? Math.round(dueMs + aheadMs) : null,
    retrySinceMs: deferredSinceMs === undefined ? null : Math.round(deferredSinceMs + aheadMs),
    unfetched: unfetched === true,
  };
}

/** Takes a flight out of the inflight gauge, once. */
export function uncount({ gauges }: Runtime, flight: Flight): void {
  if (!flight.counted) return;
  flight.counted = false;
  gauges.addInflight(-1);
}
