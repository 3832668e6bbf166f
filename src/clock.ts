/**
 * Where a runner reads time and sets timers; xstate's `SimulatedClock` fits.
 * `now` is wall time and `monotonic` never steps back, both in milliseconds; `now` stands in where `monotonic` is absent.
 */
export interface Clock {
  now(): number;
  monotonic?(): number;
  setTimeout(fn: (...args: unknown[]) => void, ms: number): unknown;
  clearTimeout(id: unknown): void;
}

/** The clock of the machine the process runs on. */
export const systemClock: Required<Clock> = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (fn, ms) => setTimeout(fn, ms),
  clearTimeout: (id) => clearTimeout(id as NodeJS.Timeout),
};

/** Wall time in whole unix seconds. */
export function unixSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}
