/** Random whole numbers from 0 below `limit`, the same ones for the same seed (mulberry32). */
export interface SeededRandom {
  (limit: number): number;
  shuffled<T>(values: readonly T[]): T[];
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed;
  const random = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  const shuffled = <T>(values: readonly T[]) => {
    const left = [...values];
    return values.map(() => left.splice(random(left.length), 1)[0] as T);
  };
  return Object.assign(random, { shuffled });
}
