import { afterEviction } from "./eviction.js";
import type { Settle } from "./rows.js";
import { ask, clearTimer, opName, type Runner, setTimer } from "./world.js";

/** R8: an end that was told from memory is written every `retryWaitMs`, and before anybody asks for a slot. */
export function keepEnd(runner: Runner, request: Settle): void {
  runner.world.note("end from memory");
  runner.lateEnds.set(request.jobId, request);
  retryEnds(runner);
}

function retryEnds(runner: Runner): void {
  const { world } = runner;
  clearTimer(world, runner.lateTimer);
  runner.lateTimer = setTimer(world, world.settings.retryWaitMs, () =>
    saveEnds(runner, () => {
      if (runner.lateEnds.size > 0 && runner.phase !== "closed") retryEnds(runner);
    }),
  );
}

export function saveEnds(runner: Runner, then: () => void): void {
  if (runner.savingEnds !== undefined) {
    runner.savingEnds.push(then);
    return;
  }
  runner.savingEnds = [then];
  saveNextEnd(runner, runner.lateEnds.entries());
}

function saveNextEnd(runner: Runner, ends: MapIterator<[string, Settle]>): void {
  const { rows, note } = runner.world;
  const next = ends.next();
  if (next.done || runner.phase === "closed") {
    const waiting = runner.savingEnds ?? [];
    runner.savingEnds = undefined;
    for (const then of waiting) then();
    return;
  }
  const [id, request] = next.value;
  ask(runner, opName("settle", request), () => rows.settle(request, undefined), {
    answered({ bytes }) {
      note("late end written");
      runner.lateEnds.delete(id);
      afterEviction(runner, bytes, () => saveNextEnd(runner, ends));
    },
    refused: () => saveNextEnd(runner, ends),
  });
}

/** Goes on at once where nothing is late. */
export function afterLateEnds(runner: Runner, then: () => void): void {
  if (runner.lateEnds.size > 0) saveEnds(runner, then);
  else then();
}
