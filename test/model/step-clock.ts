import type { Clock } from "../../src/index.js";

/** A clock whose timers fire when the test says so; wall time and monotonic time apart. */
export class StepClock implements Clock {
  readonly #timers = new Map<number, { dueMs: number; fn: () => void }>();
  #nextId = 1;

  constructor(
    public wallMs: number,
    public monoMs: number,
  ) {}

  now(): number {
    return this.wallMs;
  }

  monotonic(): number {
    return this.monoMs;
  }

  setTimeout(fn: () => void, ms: number): number {
    this.#timers.set(this.#nextId, { dueMs: this.monoMs + ms, fn });
    return this.#nextId++;
  }

  clearTimeout(id: unknown): void {
    this.#timers.delete(id as number);
  }

  /** When each timer that is set is due, the earliest first. */
  get dues(): number[] {
    return [...this.#timers.values()].map(({ dueMs }) => dueMs).sort((a, b) => a - b);
  }

  /** Fires the timer that is due first; of several, the one that was set first. */
  fireFirst(): void {
    const dueMs = this.dues[0];
    for (const [id, timer] of this.#timers) {
      if (timer.dueMs !== dueMs) continue;
      this.#timers.delete(id);
      timer.fn();
      return;
    }
  }

  /** Drops all timers, as the death of a process does. */
  clear(): void {
    this.#timers.clear();
  }
}
