import { reply, STORE_ERROR, sweep } from "./asking.js";
import { saveEnds } from "./late-ends.js";
import { forget } from "./leaving.js";
import { giveTurns, wait, writeAgain } from "./life.js";
import { isLive, type JobRow } from "./rows.js";
import { uncount } from "./saving.js";
import { addJob, ask, clearTimer, newRunner, opName, type Runner, setTimer, type World } from "./world.js";

/** Section 2: how a runner begins and ends. */

/** What a dead or closed runner left is put right before anything else; `resumes` are the callers whose jobs are taken up again. */
export function open(world: World, number: number, resumes: readonly string[] | undefined): Runner {
  const runner = newRunner(world);
  const refused = () => {
    runner.phase = "closed";
    reply(world, number, STORE_ERROR);
  };
  if (resumes === undefined) recover(runner, number, [], refused);
  else {
    const live = () => world.rows.jobs.filter(isLive).map(({ id, caller }) => ({ id, caller }));
    const answered = (left: { id: string; caller: string }[]) => {
      const resumed = left.filter(({ caller }) => resumes.includes(caller));
      recover(
        runner,
        number,
        resumed.map(({ id }) => id),
        refused,
        left.map(({ id }) => id),
      );
    };
    ask(runner, opName("left"), live, { answered, refused });
  }
  return runner;
}

function recover(runner: Runner, number: number, resume: string[], refused: () => void, left: string[] = []): void {
  const { world } = runner;
  ask(runner, opName("recover", resume), () => world.rows.recover(resume), {
    answered({ resumed, interrupted }) {
      for (const _ of interrupted) {
        world.note("interrupted");
        world.told.push("job failed");
      }
      // R5: what was cancelled or lost while callers were asked for has an owner already, who tells of it.
      const known = [...interrupted, ...resumed.map(({ id }) => id)];
      for (const id of left) if (!known.includes(id)) world.told.push("job cancelled");
      sweep(runner, () => {
        runner.phase = "open";
        reply(world, number, "open");
        for (const row of resumed) takeUp(runner, row);
        runner.idleWorkers = world.settings.workers;
        giveTurns(runner);
      });
    },
    refused,
  });
}

/** A job goes on where its row stands; its wait and its window go on too, and no wait is longer than what is left of the window. */
function takeUp(runner: Runner, row: JobRow): void {
  const { world } = runner;
  const { wallMs, monoMs, settings } = world;
  const passedMs = (thenMs: number) => Math.max(0, wallMs - thenMs);
  const next = row.targets[row.done];
  const known = { id: row.id, total: row.targets.length, sinceMs: monoMs - passedMs(row.createdAt * 1000) };
  const { retryAtMs = null, retrySinceMs = null } = next ?? {};
  const deferredForMs = retrySinceMs === null ? 0 : passedMs(retrySinceMs);
  const job = addJob(runner, {
    ...{ ...known, done: row.done, failed: row.failed, state: "ready" },
    deferredSinceMs: retrySinceMs === null ? undefined : monoMs - deferredForMs,
  });
  const leftMs = Math.max(0, settings.retryForMs - deferredForMs);
  const waitMs = retryAtMs === null ? 0 : Math.min(Math.max(0, retryAtMs - wallMs), leftMs);
  world.note(waitMs > 0 ? "resumed and waits" : `resumed ${row.status}`);
  if (waitMs > 0) wait(runner, job, waitMs);
}

export function close(runner: Runner, number: number, { drain, limitMs }: { drain: boolean; limitMs: number }): void {
  const { world } = runner;
  if (runner.closing !== undefined) {
    // One shared promise, whatever else is asked for.
    if (runner.closing.stage === "over") reply(world, number, "closed");
    else runner.closing.askers.push(number);
    return;
  }
  runner.closing = { stage: "submits", drain, limit: undefined, askers: [number] };
  if (limitMs > 0) {
    runner.closing.limit = setTimer(world, limitMs, () => {
      world.note("close limit reached");
      finish(runner);
    });
  }
  if (!drain) stopClaims(runner);
}

/** No new claims; signals aborted. */
function stopClaims(runner: Runner): void {
  if (runner.phase !== "open") return;
  runner.phase = "closing";
  for (const call of runner.world.calls) {
    if (call.runner !== runner || !call.open) continue;
    runner.world.note("closed while in flight");
    call.aborted = true;
  }
}

/** Goes on with closing as far as it can. To be called after each step. */
export function goOnClosing(runner: Runner): void {
  const { closing } = runner;
  if (closing === undefined) return;
  if (closing.stage === "submits" && runner.submits === 0) closing.stage = closing.drain ? "jobs" : "turns";
  if (closing.stage === "jobs" && [...runner.jobs].every((job) => job.cancelled)) {
    runner.world.note("drained");
    closing.stage = "turns";
    stopClaims(runner);
  }
  if (closing.stage === "turns" && runner.busy === 0) {
    closing.stage = "held";
    // What the store refused is tried once more.
    for (const job of runner.jobs) {
      if (job.state !== "pausing") continue;
      runner.world.note("held write tried at close");
      writeAgain(runner, job);
    }
  }
  if (closing.stage === "held" && runner.busy === 0) {
    closing.stage = "ends";
    saveEnds(runner, () => {
      if (closing.stage === "ends") finish(runner);
    });
  }
}

function finish(runner: Runner): void {
  const { world, closing } = runner;
  if (closing === undefined) return;
  closing.stage = "over";
  stopClaims(runner);
  runner.phase = "closed";
  clearTimer(world, closing.limit);
  clearTimer(world, runner.lateTimer);
  for (const call of world.calls) if (call.runner === runner) clearTimer(world, call.timeout);
  if (runner.jobs.size > 0 && world.rows.leave() > 0) world.note("left running at close");
  for (const job of runner.jobs) {
    if (job.flight !== undefined) uncount(runner, job.flight);
    forget(runner, job);
  }
  for (const number of closing.askers) reply(world, number, "closed");
}
