import { afterEviction } from "./eviction.js";
import { keepEnd } from "./late-ends.js";
import type { Defer, Outcome, Settle, Settlement, Start, Status } from "./rows.js";
import {
  addInflight,
  addLive,
  ask,
  type Ending,
  type Flight,
  type LiveJob,
  opName,
  type Runner,
  type Verdict,
} from "./world.js";

/** What came of writing how a target ended. */
export type Saved =
  | { kind: "unsaved" }
  /** `again`: the worker goes on with this very job. */
  | { kind: "stored"; failed: boolean; live: boolean; again: boolean }
  | { kind: "deferred"; waitMs: number; live: boolean };

/** R3, R4: stores how a target ended and starts the next one of the job `next`, or puts it back, and tells of it. */
export function save(runner: Runner, job: LiveJob, next: LiveJob | undefined, then: (saved: Saved) => void): void {
  const flight = job.flight as Flight;
  job.saving = true;
  const saved = (what: Saved) => {
    job.saving = false;
    then(what);
  };
  if (flight.ending?.later === false) storeOutcome(runner, job, flight, next, saved);
  else putBack(runner, job, flight, saved);
}

function storeOutcome(
  runner: Runner,
  job: LiveJob,
  flight: Flight,
  next: LiveJob | undefined,
  saved: (saved: Saved) => void,
): void {
  const { world } = runner;
  if (flight.ending === undefined || flight.ending.later) return;
  const { outcome, told, durationMs, bytes } = flight.ending;
  const failed = outcome.status === "failed";
  const request = settleRequest(job, outcome);
  // R8: another job that has outcomes to be stored first starts its target with those.
  const waits = next !== job && (next?.unsaved.length ?? 0) > 0;
  const start = next && !waits ? startRequest(runner, next, next === job ? request.targetsDone : next.done) : undefined;
  const store = ({ live, bytes: allBytes, started }: Settlement) => {
    uncount(runner, flight);
    // R4: stored, gauges, target, eviction, job, jobSeconds.
    if (live && request.end !== undefined) addLive(runner, -1);
    job.flight = undefined;
    job.deferredSinceMs = undefined;
    const again = live && next === job;
    if (next !== job || again) begin(next, start, started);
    world.told.push(`target ${told} ${durationMs} ${bytes}`);
    afterEviction(runner, allBytes, () => saved({ kind: "stored", failed, live, again }));
  };
  const commit = (verdict: Verdict) => world.rows.settle(request, verdict === "taken" ? start : undefined);
  ask(runner, opName("settle", request, start), commit, {
    starts: start !== undefined,
    answered(settlement) {
      if (runner.phase === "closed") return;
      job.refusedSinceMs = undefined;
      job.unsaved = [];
      if (!settlement.live) world.note("stored after a cancel");
      store(settlement);
    },
    refused() {
      if (runner.phase === "closed") return;
      if (!isGivenUp(runner, job)) {
        uncount(runner, flight);
        saved({ kind: "unsaved" });
        return;
      }
      world.note("outcome from memory");
      const isOver = job.cancelled || request.end !== undefined;
      if (isOver) keepEnd(runner, request);
      job.unsaved = isOver ? [] : request.outcomes;
      store({ live: !job.cancelled, bytes: 0 });
    },
  });
}

export function startRequest({ world: { wallMs, settings } }: Runner, job: LiveJob, index: number): Start {
  return { jobId: job.id, index, startedAtMs: Math.trunc(wallMs), maxInterrupted: settings.maxInterrupted };
}

/** The store has taken the start of a job's next target too: its worker goes on from there. */
function begin(job: LiveJob | undefined, request: Start | undefined, start: Settlement["started"]): void {
  if (job === undefined || request === undefined || start === undefined) return;
  job.refusedSinceMs = undefined;
  job.begun = { index: request.index, startedAtMs: request.startedAtMs, start };
}

function settleRequest(job: LiveJob, outcome: Outcome): Settle {
  const targetsDone = job.done + 1;
  const targetsFailed = job.failed + (outcome.status === "failed" ? 1 : 0);
  const end = targetsDone === job.total ? endOf(job.total, targetsFailed) : undefined;
  return { jobId: job.id, outcomes: [...job.unsaved, outcome], targetsDone, targetsFailed, end };
}

/** R4. */
export function endOf(total: number, failed: number): Status {
  if (failed === 0) return "done";
  return failed === total ? "failed" : "partial";
}

function putBack(runner: Runner, job: LiveJob, flight: Flight, saved: (saved: Saved) => void): void {
  const { world } = runner;
  const { dueMs, asked, unfetched } = flight.ending as Extract<Ending, { later: true }>;
  // Monotonic time ends with the process, so the rows have wall time.
  const aheadMs = world.wallMs - world.monoMs;
  const { deferredSinceMs } = job;
  const request: Defer = {
    ...{ jobId: job.id, index: flight.index, retryAtMs: asked ? dueMs + aheadMs : null },
    retrySinceMs: deferredSinceMs === undefined ? null : deferredSinceMs + aheadMs,
    unfetched,
  };
  const isBack = (live: boolean) => {
    uncount(runner, flight);
    job.flight = undefined;
    saved({ kind: "deferred", waitMs: Math.max(0, dueMs - world.monoMs), live });
  };
  ask(runner, opName("defer", request), () => world.rows.defer(request), {
    answered(live) {
      if (runner.phase === "closed") return;
      job.refusedSinceMs = undefined;
      isBack(live);
    },
    refused() {
      if (runner.phase === "closed") return;
      if (isGivenUp(runner, job)) {
        isBack(true);
        return;
      }
      uncount(runner, flight);
      saved({ kind: "unsaved" });
    },
  });
}

/** R8: a write is tried again within `retryForMs` of its job's first refusal; after that the job goes on from memory. */
export function isGivenUp({ world }: Runner, job: LiveJob): boolean {
  job.refusedSinceMs ??= world.monoMs;
  return world.monoMs - job.refusedSinceMs > world.settings.retryForMs;
}

export function uncount(runner: Runner, flight: Flight): void {
  if (flight.counted) addInflight(runner, -1);
  flight.counted = false;
}
