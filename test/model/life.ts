import type { Meaning } from "./answers.js";
import { keepEnd } from "./late-ends.js";
import type { Started } from "./rows.js";
import { endOf, isGivenUp, type Saved, save } from "./saving.js";
import {
  addInflight,
  addLive,
  ask,
  type Call,
  clearTimer,
  type Flight,
  type LiveJob,
  opName,
  type Runner,
  setTimer,
} from "./world.js";

/** R2: the live jobs in submit order, read round and round; an idle worker takes the next ready one after the one taken last. */
export function giveTurns(runner: Runner): void {
  while (runner.phase === "open" && runner.idleWorkers > 0) {
    const ready = [...runner.jobs].filter((job) => job.state === "ready").sort((a, b) => a.place - b.place);
    const job = ready.find(({ place }) => place > runner.lastPlace) ?? ready[0];
    if (job === undefined) return;
    runner.idleWorkers--;
    runner.busy++;
    runner.lastPlace = job.place;
    job.state = "turn";
    startTarget(runner, job);
  }
}

export function becomeReady(runner: Runner, job: LiveJob): void {
  job.state = "ready";
  giveTurns(runner);
}

function endTurn(runner: Runner): void {
  runner.busy--;
  runner.idleWorkers++;
  giveTurns(runner);
}

/** R2: the job's next target, which is the first that is not stored. */
function startTarget(runner: Runner, job: LiveJob): void {
  const { rows, settings, note, ...world } = runner.world;
  const index = job.done;
  const startedAtMs = Math.trunc(world.wallMs);
  const request = { jobId: job.id, index, startedAtMs, maxInterrupted: settings.maxInterrupted };
  ask(runner, opName("start", request), () => rows.start(request), {
    answered(start) {
      if (runner.phase === "closed") return;
      job.refusedSinceMs = undefined;
      if (start === "gone") {
        note("found cancelled at a start");
        announceCancelled(runner, job);
        forget(runner, job);
        endTurn(runner);
        return;
      }
      job.flight = { index, startedAtMs, counted: false, ending: undefined };
      if (start === "interrupted") {
        note("interrupted once too often");
        end(runner, job, job.flight, failedWith("interrupted"), 0);
      } else if (runner.phase === "open") callFetch(runner, job, job.flight, start);
      else leavePending(runner, job, job.flight);
    },
    refused() {
      if (runner.phase === "closed") return;
      if (isGivenUp(runner, job)) {
        // R8: a target that could not be started counts as failed.
        note("start given up");
        job.flight = { index, startedAtMs, counted: false, ending: undefined };
        end(runner, job, job.flight, failedWith("internal error"), 0);
        return;
      }
      if (job.cancelled) forget(runner, job);
      else wait(runner, job, settings.retryWaitMs);
      endTurn(runner);
    },
  });
}

type Later = Extract<Meaning, { kind: "later" }>;
type Over = Exclude<Meaning, Later>;

/** A failure that no fetch has answered. */
function failedWith(error: string): Over {
  return { kind: "failed", error, hint: "", told: `Error: ${error}`, own: true };
}

function callFetch(runner: Runner, job: LiveJob, flight: Flight, { url, options, attempt }: Started): void {
  const { world } = runner;
  const { targetTimeoutMs } = world.settings;
  flight.counted = true;
  addInflight(runner, 1);
  const call: Call = {
    ...{ runner, job, index: flight.index, url, options, attempt },
    ...{ beganMs: world.monoMs, open: true, aborted: false, timeout: undefined },
  };
  world.calls.push(call);
  if (targetTimeoutMs === 0) return;
  call.timeout = setTimer(world, targetTimeoutMs, () => {
    world.note("timed out");
    answer(call, failedWith("timed out"));
    call.aborted = true;
  });
}

/** R3: what a fetch answers. An abandoned one answers to nobody. */
export function answer(call: Call, meaning: Meaning): void {
  const { runner, job } = call;
  const { world } = runner;
  const { flight } = job;
  if (!call.open || runner.phase === "closed" || flight === undefined) {
    world.note("late answer dropped");
    return;
  }
  call.open = false;
  clearTimer(world, call.timeout);
  const durationMs = Math.max(0, world.monoMs - call.beganMs);
  const ownAnswer = meaning.kind === "done" || (meaning.kind === "failed" && meaning.own);
  if (call.aborted && !ownAnswer) leavePending(runner, job, flight);
  else if (meaning.kind === "later") tryLater(runner, job, flight, meaning, durationMs);
  else {
    if (call.aborted) world.note("answered in spite of the abort");
    end(runner, job, flight, meaning, durationMs);
  }
}

/** R3: the wait never reaches beyond the window, which runs from the first such answer; after it the target has failed. */
function tryLater(runner: Runner, job: LiveJob, flight: Flight, meaning: Later, durationMs: number): void {
  const { note, monoMs, settings } = runner.world;
  const { error, told, afterMs = settings.retryWaitMs } = meaning;
  job.deferredSinceMs ??= monoMs;
  const leftMs = job.deferredSinceMs + settings.retryForMs - monoMs;
  if (leftMs < 0) {
    note("retry window over");
    end(runner, job, flight, { kind: "failed", error, told, hint: "", own: false }, durationMs);
    return;
  }
  if (afterMs > leftMs) note("wait cut by the window");
  flight.ending = { later: true, asked: true, dueMs: monoMs + Math.min(afterMs, Math.max(leftMs, 1)) };
  save(runner, job, (saved) => endWorkersSave(runner, job, saved));
}

/** Section 2, close: a fetch that rejects because of the abort leaves its target pending, and so does one never called. */
function leavePending(runner: Runner, job: LiveJob, flight: Flight): void {
  const { note, monoMs, settings } = runner.world;
  note("left pending by an abort");
  flight.ending = { later: true, asked: false, dueMs: monoMs + settings.retryWaitMs };
  save(runner, job, (saved) => endWorkersSave(runner, job, saved));
}

function end(runner: Runner, job: LiveJob, flight: Flight, meaning: Over, durationMs: number): void {
  const finishedAtMs = flight.startedAtMs + Math.round(durationMs);
  const { index } = flight;
  if (meaning.kind === "done") {
    const outcome = { index, status: "done" as const, result: meaning.result, error: "", hint: "", finishedAtMs };
    flight.ending = { later: false, outcome, told: "ok", durationMs, bytes: Buffer.byteLength(meaning.result) };
  } else {
    const { error, hint, told } = meaning;
    const outcome = { index, status: "failed" as const, result: null, error, hint, finishedAtMs };
    flight.ending = { later: false, outcome, told, durationMs, bytes: 0 };
  }
  save(runner, job, (saved) => endWorkersSave(runner, job, saved));
}

function endWorkersSave(runner: Runner, job: LiveJob, saved: Saved): void {
  if (runner.phase === "closed") return;
  afterSave(runner, job, saved);
  endTurn(runner);
}

/** R8: a write that was refused is tried every `retryWaitMs`, by the job itself; R4, R5: else the job goes on or ends. */
function afterSave(runner: Runner, job: LiveJob, saved: Saved): void {
  if (saved.kind === "unsaved") {
    // A cancel that came while a job tried by itself has begun the pause already.
    if (job.state !== "pausing") pause(runner, job);
    return;
  }
  clearTimer(runner.world, job.timer);
  if (saved.kind === "stored") {
    job.done++;
    if (saved.failed) job.failed++;
  }
  if (!saved.live) announceCancelled(runner, job);
  if (job.cancelled) forget(runner, job);
  else if (saved.kind === "deferred") wait(runner, job, saved.waitMs);
  else if (job.done < job.total) becomeReady(runner, job);
  else endByItself(runner, job);
}

export function pause(runner: Runner, job: LiveJob): void {
  clearTimer(runner.world, job.timer);
  job.state = "pausing";
  job.timer = setTimer(runner.world, runner.world.settings.retryWaitMs, () => writeAgain(runner, job));
}

export function writeAgain(runner: Runner, job: LiveJob): void {
  clearTimer(runner.world, job.timer);
  job.state = "writing";
  if (job.saving) return;
  runner.busy++;
  save(runner, job, (saved) => {
    runner.busy--;
    if (runner.phase !== "closed") afterSave(runner, job, saved);
  });
}

export function wait(runner: Runner, job: LiveJob, waitMs: number): void {
  job.state = "waiting";
  job.timer = setTimer(runner.world, waitMs, () => becomeReady(runner, job));
}

/** R4: once a job, and only now that its last target is stored. */
function endByItself(runner: Runner, job: LiveJob): void {
  const { told, monoMs } = runner.world;
  told.push(`job ${endOf(job.total, job.failed)}`, `jobSeconds ${(monoMs - job.sinceMs) / 1000}`);
  forget(runner, job);
}

/** R5: once a job, by whomever it was cancelled. */
export function announceCancelled(runner: Runner, job: LiveJob): void {
  if (job.cancelled) return;
  job.cancelled = true;
  addLive(runner, -1);
  runner.world.told.push("job cancelled");
}

export function forget(runner: Runner, job: LiveJob): void {
  clearTimer(runner.world, job.timer);
  job.state = "gone";
  runner.jobs.delete(job);
  if (job.unsaved.length === 0 || runner.phase === "closed") return;
  // R8: outcomes that were told from memory are stored, though the job makes no further write of its own.
  const { id: jobId, unsaved: outcomes, done: targetsDone, failed: targetsFailed } = job;
  runner.world.note("outcomes kept of a cancelled job");
  keepEnd(runner, { jobId, outcomes, targetsDone, targetsFailed, end: undefined });
}
