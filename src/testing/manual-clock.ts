import type { Clock } from "../clock.js";
import { settled } from "./settled.js";

interface Timer {
  setAtMs: number;
  ms: number;
  fn: (...args: unknown[]) => void;
}

/**
 * A clock for a runner under test, which only the test moves. Wall time (`wallMs`) and monotonic time (`monotonicMs`) are
 * apart, and each may be set: timers go by the monotonic one.
 */
export class ManualClock implements Required<Clock> {
  wallMs: number;
  monotonicMs = 5_000;
  readonly #timers = new Map<number, Timer>();
  #nextId = 1;
  #uses = 0;
  #passing: Promise<unknown> = Promise.resolve();

  constructor(wallMs = 1_700_000_000_000) {
    this.wallMs = wallMs;
  }

  now(): number {
    this.#uses++;
    return this.wallMs;
  }

  monotonic(): number {
    this.#uses++;
    return this.monotonicMs;
  }

  setTimeout(fn: (...args: unknown[]) => void, ms: number): number {
    this.#uses++;
    this.#timers.set(this.#nextId, { setAtMs: this.monotonicMs, ms, fn });
    return this.#nextId++;
  }

  clearTimeout(id: unknown): void {
    this.#uses++;
    this.#timers.delete(id as number);
  }

  /** How long until each timer that is set, in the order they were set. */
  get waits(): number[] {
    return [...this.#timers.values()].map((timer) => dueMs(timer) - this.monotonicMs);
  }

  /**
   * Lets so much time pass: each timer fires when it is due, and all that follows from it without time happens before the next
   * one does. With 0, all happens that needs no time at all.
   */
  async advance(ms: number): Promise<void> {
    checked(ms);
    const passed = this.#passing.then(() => this.#pass(ms));
    // A timer may throw what it likes: that is for whoever let it fire.
    this.#passing = passed.catch(() => {});
    return passed;
  }

  /** So much time has passed, as when the machine slept: only now do the timers fire that became due meanwhile, in that order. */
  jump(ms: number): void {
    this.#goTo(this.monotonicMs + checked(ms));
    const due = [...this.#timers].filter(([, timer]) => dueMs(timer) <= this.monotonicMs);
    // Those that were due at the same time stay in the order they were set.
    for (const [id] of due.sort(([, one], [, other]) => dueMs(one) - dueMs(other))) this.#fire(id);
  }

  async #pass(ms: number): Promise<void> {
    const endMs = this.monotonicMs + ms;
    await this.#quiet();
    for (let next = this.#nextDue(endMs); next !== undefined; next = this.#nextDue(endMs)) {
      this.#goTo(next.dueMs);
      this.#fire(next.id);
      await this.#quiet();
    }
    this.#goTo(endMs);
  }

  #goTo(monotonicMs: number): void {
    const goneMs = Math.max(0, monotonicMs - this.monotonicMs);
    this.wallMs += goneMs;
    this.monotonicMs += goneMs;
  }

  #fire(id: number): void {
    const timer = this.#timers.get(id);
    this.#timers.delete(id);
    timer?.fn();
  }

  /** As Node does it, a timer takes 1 ms at least: else one that sets itself anew at once would stop time. */
  #nextDue(endMs: number): { id: number; dueMs: number } | undefined {
    let next: { id: number; dueMs: number } | undefined;
    for (const [id, { setAtMs, ms }] of this.#timers) {
      const dueMs = setAtMs + Math.max(1, ms);
      if (dueMs <= endMs && (next === undefined || dueMs < next.dueMs)) next = { id, dueMs };
    }
    return next;
  }

  /** Whoever is at work reads the clock: each target does as it starts and as it ends. */
  async #quiet(): Promise<void> {
    for (let before = -1; before !== this.#uses; ) {
      before = this.#uses;
      await settled();
    }
  }
}

function dueMs({ setAtMs, ms }: Timer): number {
  return setAtMs + ms;
}

function checked(ms: number): number {
  if (ms >= 0) return ms;
  throw new RangeError("ms must be 0 or more");
}
