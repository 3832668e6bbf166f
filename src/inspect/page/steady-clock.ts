const DRIFT_MS = 1;

/** The inspector's clock between two messages. A message that came late makes it neither jump nor step back. */
export class SteadyClock {
  #offset = 0;
  #stoppedAt: number | undefined = 0;

  set runs(runs: boolean) {
    if (runs) this.#stoppedAt = undefined;
    else this.#stoppedAt ??= this.now();
  }

  set(nowMs: number): void {
    this.#offset = nowMs - performance.now();
  }

  /** Only the message that was fastest on its way says what time it is; the others give way slowly, for clocks drift. */
  tell(nowMs: number): void {
    this.#offset = Math.max(this.#offset - DRIFT_MS, nowMs - performance.now());
  }

  now(): number {
    return this.#stoppedAt ?? performance.now() + this.#offset;
  }
}
