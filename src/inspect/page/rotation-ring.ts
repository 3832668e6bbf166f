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

/** The live jobs in submit order, around the cursor, and whose turn is next: the first ready one after the one taken last. */
export function rotationRing(world: World, live: readonly ActorView[]): RingJob[] {
  const { rotation } = world;
  if (rotation === undefined) return [];
  const ready = new Set(rotation.ready.map(({ place }) => place));
  const next = rotation.ready.find(({ place }) => place > rotation.lastPlace) ?? rotation.ready[0];
  const cursor = live.findIndex(({ place = -1 }) => place > rotation.lastPlace);
  const first = Math.max(0, Math.min(cursor - SHOWN_MAX / 2, live.length - SHOWN_MAX));
  return live.slice(first, first + SHOWN_MAX).map(({ jobId = "", place = -1, active }) => ({
    jobId,
    place,
    active,
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
