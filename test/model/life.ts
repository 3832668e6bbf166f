import type { Meaning } from "./answers.js";
import { announceCancelled, endByItself, forget } from "./leaving.js";
import { takeNextTurn, takeTurn } from "./rotation.js";
import type { Settle, Start, Started } from "./rows.js";
import { isGivenUp, type Saved, save, startRequest } from "./saving.js";
import {
  addInflight,
  ask,
  type Begun,
  type Call,
  clearTimer,
  type Ending,
  type Flight,
  type LiveJob,
  opName,
  type Runner,
  setTimer,
  type Verdict,
} from "./world.js";

/** R2: an idle worker takes the next turn. */
export function giveTurns(runner: Runner): void {
  while (runner.idleWorkers > 0) {
    const job = takeTurn(runner);
    if (job === undefined) return;
    runner.idleWorkers--;
    runner.busy++;
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
  const { rows, settings, note } = runner.world;
  const request = startRequest(runner, job, job.done);
  const { index, startedAtMs } = request;
  const answered = (start: Begun["start"]) => {
    if (runner.phase === "closed") return;
    job.refusedSinceMs = undefined;
    isStarted(runner, job, { index, startedAtMs, start });
  };
  const startAlone = () => ask(runner, opName("start", request), () => rows.start(request), { answered, refused });
  if (job.unsaved.length === 0) startAlone();
  else startWithHeld(runner, job, request, { startAlone, answered });

  function refused() {
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
  }
}

interface Starting {
  startAlone(): void;
  answered(start: Begun["start"]): void;
}

/** R8: outcomes that the store would not take are stored with the next start. */
function startWithHeld(runner: Runner, job: LiveJob, request: Start, starting: Starting): void {
  const { rows, note } = runner.world;
  const { id: jobId, unsaved: outcomes, done: targetsDone, failed: targetsFailed } = job;
  const settle: Settle = { jobId, outcomes, targetsDone, targetsFailed, end: undefined };
  const commit = (verdict: Verdict) => rows.settle(settle, verdict === "taken" ? request : undefined);
  ask(runner, opName("settle", settle, request), commit, {
    starts: true,
    answered({ started }) {
      if (runner.phase === "closed") return;
      note("held outcomes stored with a start");
      job.unsaved = [];
      if (started === undefined) starting.startAlone();
      else starting.answered(started);
    },
    refused() {
      if (runner.phase !== "closed") starting.startAlone();
    },
  });
}

function isStarted(runner: Runner, job: LiveJob, { index, startedAtMs, start }: Begun): void {
  const { note } = runner.world;
  if (start === "gone") {
    note("found cancelled at a start");
    announceCancelled(runner, job);
    forget(runner, job);
    endTurn(runner);
    return;
  }
  const flight: Flight = { index, startedAtMs, counted: false, ending: undefined };
  job.flight = flight;
  if (start === "interrupted") {
    note("interrupted once too often");
    end(runner, job, flight, failedWith("interrupted"), 0);
  } else if (runner.phase === "open" && !job.cancelled) callFetch(runner, job, flight, start);
  else {
    note(`put back unfetched, ${job.cancelled ? "cancelled" : "closing"}`);
    putBackUnfetched(runner, job, flight);
  }
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
  const dueMs = monoMs + Math.min(afterMs, Math.max(leftMs, 1));
  putBack(runner, job, flight, { later: true, asked: true, dueMs, unfetched: false });
}

/** Section 2, close: a fetch that rejects because of the abort leaves its target pending. */
function leavePending(runner: Runner, job: LiveJob, flight: Flight): void {
  const { note, monoMs, settings } = runner.world;
  note("left pending by an abort");
  putBack(runner, job, flight, { later: true, asked: false, dueMs: monoMs + settings.retryWaitMs, unfetched: false });
}

/** R5 and section 2: no fetch begins once its job is cancelled or the runner closes, though its target was started already. */
function putBackUnfetched(runner: Runner, job: LiveJob, flight: Flight): void {
  const { monoMs, settings } = runner.world;
  putBack(runner, job, flight, { later: true, asked: false, dueMs: monoMs + settings.retryWaitMs, unfetched: true });
}

function putBack(runner: Runner, job: LiveJob, flight: Flight, ending: Ending): void {
  flight.ending = ending;
  save(runner, job, undefined, (saved) => endWorkersSave(runner, job, undefined, saved));
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
  const hasMore = job.done + 1 < job.total && !job.cancelled;
  const next = takeNextTurn(runner, job, hasMore);
  // Closing waits for the turn that is taken, as for the one that it ends with.
  if (next !== undefined && next !== job) runner.busy++;
  save(runner, job, next, (saved) => endWorkersSave(runner, job, next, saved));
}

/** The worker goes on with the turn that it took as it went to store, if that job is still to have it. */
function endWorkersSave(runner: Runner, job: LiveJob, next: LiveJob | undefined, saved: Saved): void {
  if (runner.phase === "closed") return;
  afterSave(runner, job, saved);
  const again = saved.kind === "stored" && saved.again;
  if (next === undefined || (next === job && !again)) {
    endTurn(runner);
    return;
  }
  if (next !== job) runner.busy--;
  const { begun } = next;
  next.begun = undefined;
  runner.world.note(goingOn(next === job, begun));
  if (begun === undefined) startTarget(runner, next);
  else isStarted(runner, next, begun);
}

function goingOn(again: boolean, begun: Begun | undefined): string {
  const start = typeof begun?.start === "string" ? begun.start : "started";
  return `goes on with ${again ? "the same job" : "another job"}, ${begun === undefined ? "to be started" : start}`;
}

/** R8: a write that was refused is tried every `retryWaitMs`, by the job itself; R4, R5: else the job goes on or ends. */
function afterSave(runner: Runner, job: LiveJob, saved: Saved): void {
  job.standing = false;
  if (saved.kind === "unsaved") {
    // A cancel that came while a job tried by itself has begun the pause already.
    if (job.state !== "pausing") pause(runner, job);
    return;
  }
  clearTimer(runner.world, job.timer);
  if (saved.kind === "stored") {
    job.done++;
    if (saved.failed) job.failed++;
    if (saved.again) return;
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
  save(runner, job, undefined, (saved) => {
    runner.busy--;
    if (runner.phase !== "closed") afterSave(runner, job, saved);
  });
}

export function wait(runner: Runner, job: LiveJob, waitMs: number): void {
  job.state = "waiting";
  job.timer = setTimer(runner.world, waitMs, () => becomeReady(runner, job));
}
