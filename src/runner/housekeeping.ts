import { unixSeconds } from "../clock.js";
import { storeErrorCode } from "./log.js";
import type { Runtime } from "./runtime.js";

/** Removes ended jobs whose TTL is over. */
export async function sweep(runtime: Runtime): Promise<void> {
  const oldestLease = unixSeconds(runtime.clock) - runtime.settings.ttlMs / 1000;
  await keepHouse(runtime, "sweep", () => runtime.store.sweep(oldestLease));
}

/** Removes ended jobs, oldest lease first, until the bytes fit. */
export async function evict(runtime: Runtime): Promise<void> {
  await keepHouse(runtime, "eviction", () => runtime.store.evict(runtime.settings.maxBytes));
}

/** Writes the ends that the store refused, so that their slots become free and their rows say what was told (R8). */
export async function saveEnds(runtime: Runtime): Promise<void> {
  for (const request of runtime.unsavedEnds) {
    if (runtime.phase === "closed") return;
    const saved = await keepHouse(runtime, "a late end", () => runtime.store.settle(request));
    if (!saved) return;
    runtime.unsavedEnds.delete(request);
  }
}

/** Housekeeping that fails is tried again when it next comes up; only the first failure of a row of them is logged. */
async function keepHouse(runtime: Runtime, what: string, work: () => Promise<unknown>): Promise<boolean> {
  const { log, refusedChores } = runtime;
  try {
    await work();
    refusedChores.delete(what);
    return true;
  } catch (error) {
    if (!refusedChores.has(what)) log.warn(`the store refused ${what}`, { code: storeErrorCode(error) });
    refusedChores.add(what);
    return false;
  }
}
