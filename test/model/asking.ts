import { type SampleBatch, subjectOf } from "./batches.js";
import { afterLateEnds, saveEnds } from "./late-ends.js";
import { announceCancelled, forget } from "./leaving.js";
import { becomeReady, pause } from "./life.js";
import type { Admit, Settle } from "./rows.js";
import { addJob, ask, opName, type Runner, unixSeconds, type World } from "./world.js";

/** What people ask of a runner: R1 (submit), R5 (cancel), R6 (touch). `number` is the command's, for its reply. */

export function reply({ replies, note }: World, number: number, text: string): void {
  replies.set(number, text);
  note(`reply: ${text.replace(/[#\d].*/, "").trim()}`);
}

export const STORE_ERROR = "StoreTrouble";

export function submit(runner: Runner, number: number, caller: string, batch: SampleBatch, aborted: boolean): void {
  const { world } = runner;
  const refusal = refusalOf(runner, caller, batch, aborted);
  if (refusal !== undefined) {
    reply(world, number, refusal);
    return;
  }
  runner.submits++;
  const replyLast = (text: string) => {
    runner.submits--;
    reply(world, number, text);
  };
  afterLateEnds(runner, () => {
    if (runner.closing !== undefined) replyLast("ERR_CLOSED");
    else admit(runner, caller, batch, replyLast);
  });
}

/** R1.1, in this order. */
function refusalOf(runner: Runner, caller: string, { rejects }: SampleBatch, aborted: boolean): string | undefined {
  if (runner.closing !== undefined) return "ERR_CLOSED";
  if (caller === "") return "TypeError";
  return rejects ?? (aborted ? "its reason" : undefined);
}

/** R1.2 to R1.4 are one transaction. */
function admit(runner: Runner, caller: string, batch: SampleBatch, replyLast: (text: string) => void): void {
  const { world } = runner;
  const request: Admit = {
    ...{ id: `#${++world.jobsNamed}`, caller, callerClass: `class of ${caller}`, subject: subjectOf(batch) },
    ...{ targets: batch.stored, nowSeconds: unixSeconds(world) },
  };
  askForSlot(runner, request, replyLast);
}

function askForSlot(runner: Runner, request: Admit, replyLast: (text: string) => void): void {
  const { rows, settings, told } = runner.world;
  const { subject: _, ...known } = request;
  ask(runner, opName("admit", known), () => rows.admit(request, settings), {
    answered(admitted) {
      const late = "reused" in admitted ? runner.lateEnds.get(admitted.reused) : undefined;
      if (late?.end === "failed") notReused(runner, late, () => askForSlot(runner, request, replyLast), replyLast);
      else if ("code" in admitted) replyLast(`${admitted.code} ${admitted.limit} ${admitted.count}`);
      else if ("reused" in admitted) {
        told.push("job reused");
        replyLast(`reused ${admitted.reused}`);
      } else if (runner.phase !== "open") withdraw(runner, request.id, () => replyLast("ERR_CLOSED"));
      else begin(runner, request, replyLast);
    },
    refused: () => replyLast(STORE_ERROR),
  });
}

/** R1.2: a job that failed in memory is not reused, though its row lives on: its end is written first. */
function notReused(runner: Runner, late: Settle, again: () => void, replyLast: (text: string) => void): void {
  const unlessClosing = (then: () => void) => (runner.closing === undefined ? then() : replyLast("ERR_CLOSED"));
  runner.world.note("failed in memory, not reused");
  unlessClosing(() =>
    saveEnds(runner, () => unlessClosing(() => (runner.lateEnds.has(late.jobId) ? replyLast(STORE_ERROR) : again()))),
  );
}

/** R1.5. */
function begin(runner: Runner, { id, targets }: Admit, replyLast: (text: string) => void): void {
  const job = addJob(runner, { id, total: targets.length, sinceMs: runner.world.monoMs });
  runner.world.told.push("job created");
  sweep(runner, () => replyLast(`created ${id}`));
  becomeReady(runner, job);
}

/** Section 2: a submit during `close()` leaves no row. */
function withdraw(runner: Runner, id: string, then: () => void): void {
  ask(runner, opName("withdraw", id), () => runner.world.rows.withdraw(id), { answered: then, refused: then });
}

/** Terminal jobs whose lease is older than the TTL. */
export function sweep(runner: Runner, then: () => void): void {
  const { rows, settings, note } = runner.world;
  const oldestLease = unixSeconds(runner.world) - settings.ttlMs / 1000;
  const commit = () => {
    if (rows.sweep(oldestLease) > 0) note("swept");
  };
  ask(runner, opName("sweep", oldestLease), commit, { answered: then, refused: then });
}

/** R5. */
export function cancel(runner: Runner, number: number, id: string): void {
  const { world } = runner;
  afterLateEnds(runner, () => {
    if (runner.lateEnds.has(id)) {
      reply(world, number, "cancel false");
      return;
    }
    ask(runner, opName("cancel", id), () => world.rows.cancel(id), {
      answered(cancelled) {
        if (cancelled) cancelLive(runner, id);
        reply(world, number, `cancel ${cancelled}`);
      },
      refused: () => reply(world, number, STORE_ERROR),
    });
  });
}

/** R5: the target under way finishes and is stored, no later one starts. */
function cancelLive(runner: Runner, id: string): void {
  const job = [...runner.jobs].find((each) => each.id === id);
  if (job === undefined || job.cancelled || runner.phase === "closed") return;
  runner.world.note(`cancelled while ${job.state === "turn" && job.flight !== undefined ? "in flight" : job.state}`);
  announceCancelled(runner, job);
  if (job.state === "ready" || job.state === "waiting") forget(runner, job);
  // The pause before the next try of its write begins anew.
  else if (job.state !== "turn") pause(runner, job);
}

/** R6. */
export function touch(runner: Runner, number: number, id: string): void {
  const { world } = runner;
  const lease = unixSeconds(world);
  ask(runner, opName("touch", id, lease), () => world.rows.touch(id, lease), {
    answered: () => reply(world, number, "touched"),
    refused: () => reply(world, number, STORE_ERROR),
  });
}
