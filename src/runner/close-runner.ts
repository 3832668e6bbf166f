import type { Actors } from "./actors.js";
import { saveEnds } from "./housekeeping.js";
import { storeErrorCode } from "./log.js";
import type { Runtime } from "./runtime.js";
import { uncount } from "./save-target.js";

/** One for all: an error keeps the functions that were being called as it was made, and the runner with them. */
const ABORTED = new DOMException("This operation was aborted", "AbortError");

/** The parts of a runner that closing ends or waits for. */
export interface Closing {
  runtime: Runtime;
  actors: Actors;
  submits: Set<Promise<unknown>>;
  giveBack: () => Promise<void>;
}

/**
 * Closes a runner: no new claims, signals aborted, fetches in flight awaited, held results written, ownership given back.
 * Called from inside a fetch it does not drain, and waits for every fetch but that one.
 */
export async function closeRunner(
  { runtime, actors, submits, giveBack }: Closing,
  wantsDrain: boolean,
  limitMs: number,
): Promise<void> {
  const drain = wantsDrain && runtime.scope.currentJob() === undefined;
  await runtime.scope.outside(() =>
    withinLimit(runtime, limitMs, async () => {
      if (!drain) stopClaims(runtime, actors);
      await Promise.allSettled(submits);
      if (drain) await runtime.unannounced.whenEmpty();
      stopClaims(runtime, actors);
      await runtime.busyJobs.whenEmpty();
      await saveHeld(runtime);
    }),
  );
  stopClaims(runtime, actors);
  runtime.phase = "closed";
  runtime.clock.clearTimeout(runtime.unsavedEndsTimer);
  for (const inFlight of runtime.fetches) inFlight.abandon();
  for (const { flight } of runtime.jobs.values()) if (flight !== undefined) uncount(runtime, flight);
  if (runtime.jobs.size > 0) void leaveTargets(runtime);
  actors.stop();
  runtime.jobs.clear();
  runtime.unannounced.clear();
  await giveBack().catch((error: unknown) => {
    runtime.log.warn("the store could not be given back", { code: storeErrorCode(error) });
  });
}

/** Not waited for: time is up, and a store may be what it was lost on. */
async function leaveTargets({ log, store }: Runtime): Promise<void> {
  try {
    await store.leave();
  } catch (error) {
    log.warn("what closing cut off will count as interrupted", { code: storeErrorCode(error) });
  }
}

/** From here on nobody is given a turn; what a fetch answers to the abort leaves its target pending. */
function stopClaims(runtime: Runtime, actors: Actors): void {
  if (runtime.phase !== "open") return;
  runtime.phase = "closing";
  actors.close();
  for (const { controller } of runtime.fetches) controller.abort(ABORTED);
}

/** Whoever closes from inside a fetch would wait for it for ever: that fetch is waited for no more. */
export function exemptCallingFetch({ scope, busyJobs, unannounced }: Runtime): void {
  const job = scope.currentJob();
  if (job?.flight === undefined) return;
  job.flight.closedFromInside = true;
  busyJobs.delete(job.id);
  unannounced.delete(job.id);
}

/** One last try for the writes that the store refused; the next start puts right what is still refused. */
async function saveHeld(runtime: Runtime): Promise<void> {
  // The time limit may have passed meanwhile, and with it our ownership of the store.
  if (runtime.phase === "closed") return;
  // The jobs try it themselves, so that an end that is stored now is told as any other (R4).
  for (const { actor } of runtime.jobs.values()) actor.send({ type: "job.save" });
  await runtime.busyJobs.whenEmpty();
  await saveEnds(runtime);
}

async function withinLimit({ clock }: Runtime, limitMs: number, work: () => Promise<void>): Promise<void> {
  if (limitMs === 0) return work();
  await new Promise<void>((resolve, reject) => {
    const timer = clock.setTimeout(() => resolve(), limitMs);
    work()
      .then(resolve, reject)
      .finally(() => clock.clearTimeout(timer));
  });
}
