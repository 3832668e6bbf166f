import { first, firstAfter, insert, type OrderedTree, remove } from "./ordered-tree.js";

/**
 * Whose turn it is (R2): the jobs that could take one, by their place in submit order, and the place taken last.
 * Immutable; every operation costs O(log ready jobs), however many jobs wait elsewhere.
 */
export interface Rotation<J> {
  readonly ready: OrderedTree<J> | undefined;
  readonly lastPlace: number;
}

export const emptyRotation: Rotation<never> = { ready: undefined, lastPlace: -1 };

export function enter<J>(rotation: Rotation<J>, place: number, job: J): Rotation<J> {
  return { ...rotation, ready: insert(rotation.ready, place, job) };
}

export function leave<J>(rotation: Rotation<J>, place: number): Rotation<J> {
  return { ...rotation, ready: remove(rotation.ready, place) };
}

/** The next ready job after the one taken last, round and round, with the rotation after that turn. */
export function take<J>(rotation: Rotation<J>): { job: J; rotation: Rotation<J> } | undefined {
  const next = firstAfter(rotation.ready, rotation.lastPlace) ?? first(rotation.ready);
  if (next === undefined) return undefined;
  return { job: next.value, rotation: { ready: remove(rotation.ready, next.key), lastPlace: next.key } };
}
