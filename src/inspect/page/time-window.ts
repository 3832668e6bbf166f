const SPAN_MIN = 20;
const SPAN_MAX = 6 * 3_600_000;
const FIRST_SPAN = 10_000;
/** How much of the window lies after the last thing that happened, where nothing goes on. */
const MARGIN = 0.04;

/** What time the timeline shows: a window that follows what happens, or that stands where somebody put it. */
export class TimeWindow {
  lengthMs = FIRST_SPAN;
  #heldEndMs: number | undefined;

  get follows(): boolean {
    return this.#heldEndMs === undefined;
  }

  /** `latestMs`: now, while anything goes on; else when the last thing ended. */
  at(latestMs: number): { fromMs: number; toMs: number } {
    const toMs = this.#heldEndMs ?? latestMs + this.lengthMs * MARGIN;
    return { fromMs: toMs - this.lengthMs, toMs };
  }

  follow(): void {
    this.#heldEndMs = undefined;
  }

  pan(ms: number, latestMs: number): void {
    this.#heldEndMs = this.at(latestMs).toMs + ms;
  }

  /** `anchor`: which part of the window stays where it is, 0 the left edge; a window that follows keeps its right one. */
  zoom(factor: number, latestMs: number, anchor = 1): void {
    const { fromMs } = this.at(latestMs);
    const length = Math.min(SPAN_MAX, Math.max(SPAN_MIN, this.lengthMs * factor));
    const fixedMs = fromMs + this.lengthMs * anchor;
    if (!this.follows || anchor < 1) this.#heldEndMs = fixedMs + length * (1 - anchor);
    this.lengthMs = length;
  }

  fit(fromMs: number, toMs: number): void {
    const length = Math.max(SPAN_MIN, (toMs - fromMs) * (1 + 2 * MARGIN));
    this.lengthMs = Math.min(SPAN_MAX, length);
    this.#heldEndMs = fromMs - length * MARGIN + this.lengthMs;
  }
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000];

/** Round times within a window, at most so many. */
export function ticks(fromMs: number, toMs: number, most: number): { stepMs: number; atMs: number[] } {
  const least = (toMs - fromMs) / Math.max(1, most);
  let stepMs = STEPS.find((step) => step >= least) ?? 60_000;
  while (stepMs < least) stepMs *= 2;
  const atMs: number[] = [];
  for (let at = Math.ceil(fromMs / stepMs) * stepMs; at <= toMs; at += stepMs) atMs.push(at);
  return { stepMs, atMs };
}
