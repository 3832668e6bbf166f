import { isLive, type Job, type JobStatus } from "../job.js";
import type { TargetOutcome } from "../store/batch-store.js";
import type { StoreObserver } from "./observe-store.js";

/** How far a job is. `done` and `failed` count stored targets; `elapsedMs` runs from its first target's start to its end. */
export interface JobProgress {
  name: string;
  status: JobStatus;
  total: number;
  done: number;
  failed: number;
  waiting: boolean;
  elapsedMs: number;
}

interface Tally {
  status: JobStatus;
  done: number;
  failed: number;
  waiting: boolean;
  startedMs?: number;
  endedMs?: number;
}

/** Keeps the progress of the jobs that a runner works on, as an observer of its store. */
export class JobBoard implements StoreObserver {
  readonly #jobs = new Map<string, { name: string; total: number }>();
  /** Apart from the names: a job's first target may start before its submit has answered with the id. */
  readonly #tallies = new Map<string, Tally>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  add(id: string, name: string, total: number): void {
    this.#jobs.set(id, { name, total });
  }

  /** Adds a job that has come so far already. */
  addStored(name: string, { id, status, targetsTotal, targetsDone, targetsFailed }: Job): void {
    this.add(id, name, targetsTotal);
    Object.assign(this.#tally(id), { status, done: targetsDone - targetsFailed, failed: targetsFailed });
  }

  /** All jobs that were added, in that order. */
  progress(): JobProgress[] {
    return [...this.#jobs].map(([id, job]) => {
      const { status, done, failed, waiting } = this.#tally(id);
      return { ...job, status, done, failed, waiting, elapsedMs: this.elapsedMs(id) };
    });
  }

  elapsedMs(id: string): number {
    const { startedMs, endedMs } = this.#tally(id);
    return startedMs === undefined ? 0 : (endedMs ?? this.#nowMs()) - startedMs;
  }

  targetStarted(id: string): void {
    const tally = this.#tally(id);
    tally.startedMs ??= this.#nowMs();
    tally.status = "running";
    tally.waiting = false;
  }

  targetDeferred(id: string): void {
    this.#tally(id).waiting = true;
  }

  targetStored(id: string, { status }: TargetOutcome): void {
    const tally = this.#tally(id);
    tally[status] += 1;
    tally.waiting = false;
  }

  jobEnded(id: string, status: JobStatus): void {
    const tally = this.#tally(id);
    if (!isLive(tally.status)) return;
    tally.endedMs = this.#nowMs();
    tally.status = status;
    tally.waiting = false;
  }

  #tally(id: string): Tally {
    const tally = this.#tallies.get(id) ?? { status: "queued", done: 0, failed: 0, waiting: false };
    this.#tallies.set(id, tally);
    return tally;
  }
}
