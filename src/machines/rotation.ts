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

/** The job whose turn it is: the next ready one after the one taken last, round and round. */
export function next<J>(rotation: Rotation<J>): { place: number; job: J } | undefined {
  const entry = firstAfter(rotation.ready, rotation.lastPlace) ?? first(rotation.ready);
  return entry && { place: entry.key, job: entry.value };
}

/** Whether a job at `place`, ready or as good as that, would be the next one. */
export function isNext<J>(rotation: Rotation<J>, place: number): boolean {
  const turn = next(rotation);
  return turn === undefined || comesBefore(rotation, place, turn.place);
}

/** Whether `place` comes before `other`, round and round from the place taken last. */
export function comesBefore({ lastPlace }: Rotation<unknown>, place: number, other: number): boolean {
  const isAhead = place > lastPlace;
  return isAhead === other > lastPlace ? place < other : isAhead;
}

/** The rotation after the job at `place` has taken its turn. */
export function take<J>(rotation: Rotation<J>, place: number): Rotation<J> {
  return { ready: remove(rotation.ready, place), lastPlace: place };
}
