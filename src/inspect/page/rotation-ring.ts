import type { ActorView } from "../protocol.js";
import type { World } from "./world.js";

export interface RingJob {
  jobId: string;
  place: number;
  active: readonly string[];
  isReady: boolean;
  isNext: boolean;
  isLast: boolean;
}

const SHOWN_MAX = 48;

/**
 * The live jobs in submit order, around the cursor, and whose turn is next: the first ready one after the one taken last. `live`
 * is sorted once for each coming and going; what each of them does now is looked up.
 */
export function rotationRing(world: World, live: readonly ActorView[]): RingJob[] {
  const { rotation } = world;
  if (rotation === undefined) return [];
  const ready = new Set(rotation.ready.map(({ place }) => place));
  const next = rotation.ready.find(({ place }) => place > rotation.lastPlace) ?? rotation.ready[0];
  const cursor = firstAfter(live, rotation.lastPlace);
  const first = Math.max(0, Math.min(cursor - SHOWN_MAX / 2, live.length - SHOWN_MAX));
  return live.slice(first, first + SHOWN_MAX).map(({ id, jobId = "", place = -1, active }) => ({
    jobId,
    place,
    active: world.actors.get(id)?.active ?? active,
    isReady: ready.has(place),
    isNext: place === next?.place,
    isLast: place === rotation.lastPlace,
  }));
}

/** The actors of jobs that have a place, in the order of their places. */
export function liveJobActors(world: World): ActorView[] {
  const jobs = [...world.actors.values()].filter(({ kind, place }) => kind === "job" && place !== undefined);
  return jobs.sort((one, other) => (one.place ?? 0) - (other.place ?? 0));
}

function firstAfter(live: readonly ActorView[], lastPlace: number): number {
  let [low, high] = [0, live.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((live[middle]?.place ?? 0) > lastPlace) high = middle;
    else low = middle + 1;
  }
  return low;
}
