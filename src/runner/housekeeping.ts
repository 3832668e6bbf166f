import { unixSeconds } from "../clock.js";
import { storeErrorCode } from "./log.js";
import type { Runtime, UnsavedEnd } from "./runtime.js";

/** Removes ended jobs whose TTL is over. */
export async function sweep(runtime: Runtime): Promise<void> {
  const oldestLease = unixSeconds(runtime.clock) - runtime.settings.ttlMs / 1000;
  await keepHouse(runtime, "sweep", () => runtime.store.sweep(oldestLease));
}

/** Removes ended jobs, oldest lease first, until the bytes fit. */
export async function evict(runtime: Runtime): Promise<void> {
  await keepHouse(runtime, "eviction", () => runtime.store.evict(runtime.settings.maxBytes));
}

/** Keeps the end of a job that the store would not take, to be written as soon as it will. */
export function keepEnd(runtime: Runtime, end: UnsavedEnd): void {
  runtime.unsavedEnds.set(end.job.id, end);
  retryEnds(runtime);
}

/** Writes the ends that the store refused, each once, so that their slots become free and their rows say what was told (R8). */
export function saveEnds(runtime: Runtime): Promise<void> {
  runtime.savingEnds ??= saveEachEnd(runtime).finally(() => {
    runtime.savingEnds = undefined;
  });
  return runtime.savingEnds;
}

async function saveEachEnd(runtime: Runtime): Promise<void> {
  for (const [jobId, end] of runtime.unsavedEnds) {
    if (isClosed(runtime)) return;
    let bytes = 0;
    const settle = async () => {
      ({ bytes } = await runtime.store.settle(end.request));
    };
    end.refusal = await keepHouse(runtime, "a late end", settle, jobId);
    if (end.refusal === undefined) runtime.unsavedEnds.delete(jobId);
    if (bytes > runtime.settings.maxBytes && !isClosed(runtime)) await evict(runtime);
  }
}

const isClosed = (runtime: Runtime) => runtime.phase === "closed";

function retryEnds(runtime: Runtime): void {
  const { clock, settings } = runtime;
  clock.clearTimeout(runtime.unsavedEndsTimer);
  runtime.unsavedEndsTimer = clock.setTimeout(() => {
    void saveEnds(runtime).then(() => {
      if (runtime.unsavedEnds.size > 0 && !isClosed(runtime)) retryEnds(runtime);
    });
  }, settings.retryWaitMs);
}

/**
 * Housekeeping that fails is tried again when it next comes up; only the first failure of a row of them is logged. Resolves to
 * what it failed with, if it did.
 */
async function keepHouse(
  runtime: Runtime,
  what: string,
  work: () => Promise<unknown>,
  jobId?: string,
): Promise<unknown> {
  const { log, refusedChores } = runtime;
  try {
    await work();
    refusedChores.delete(what);
    return undefined;
  } catch (error) {
    const fields = { code: storeErrorCode(error), ...(jobId === undefined ? {} : { jobId }) };
    if (!refusedChores.has(what)) log.warn(`the store refused ${what}`, fields);
    refusedChores.add(what);
    return error ?? new Error("refused");
  }
}
