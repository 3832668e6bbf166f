import { onTestFinished } from "vitest";
import type { Clock, RunnerConfig } from "../../src/index.js";
import { type RunnerUnderTest, startRunner } from "./runner.js";

/** A clock with wall time and monotonic time apart, which counts the timers that are set. */
export class ManualClock implements Clock {
  wallMs: number;
  monotonicMs = 5_000;
  readonly #timers = new Map<number, { dueMs: number; fn: (...args: unknown[]) => void }>();
  #nextId = 1;

  constructor(wallMs = 1_700_000_000_000) {
    this.wallMs = wallMs;
  }

  now(): number {
    return this.wallMs;
  }

  monotonic(): number {
    return this.monotonicMs;
  }

  setTimeout(fn: (...args: unknown[]) => void, ms: number): number {
    this.#timers.set(this.#nextId, { dueMs: this.monotonicMs + ms, fn });
    return this.#nextId++;
  }

  clearTimeout(id: unknown): void {
    this.#timers.delete(id as number);
  }

  /** How long until each timer that is set, in the order they were set. */
  get waits(): number[] {
    return [...this.#timers.values()].map(({ dueMs }) => dueMs - this.monotonicMs);
  }

  /** Both times go on, and timers that have become due fire. */
  advance(ms: number): void {
    this.wallMs += ms;
    this.monotonicMs += ms;
    for (const [id, { dueMs, fn }] of [...this.#timers]) {
      if (dueMs <= this.monotonicMs && this.#timers.delete(id)) fn();
    }
  }
}

/** A runner as `startRunner` makes it, on a manual clock. */
export async function startOnManualClock(
  config: Partial<RunnerConfig> & Pick<RunnerConfig, "fetch">,
): Promise<Omit<RunnerUnderTest, "clock"> & { clock: ManualClock }> {
  const clock = new ManualClock();
  const started = await startRunner({ clock, ...config });
  onTestFinished(async () => {
    const closed = started.runner.close({ timeoutMs: 1 });
    clock.advance(1);
    await closed;
  });
  return { ...started, clock };
}
