import { isLive, type Job } from "../job.js";
import { jobNow, type LiveJob } from "./live-job.js";
import type { Runtime } from "./runtime.js";

/**
 * A job as it stands now and after each change. A slow reader gets the newest state and never a queue;
 * the last state is the terminal one, and closing the runner ends the watch.
 */
export function watchJob(runtime: Runtime, id: string): AsyncIterable<Job> {
  return { [Symbol.asyncIterator]: () => new JobWatch(runtime, id) };
}

class JobWatch implements AsyncIterator<Job> {
  readonly #runtime: Runtime;
  readonly #id: string;
  #newest: Job | undefined;
  #begun = false;
  #over = false;
  /** Settles once every `next` asked for so far is answered. */
  #answered: Promise<unknown> = Promise.resolve();
  #stop = () => {};
  #wake = () => {};

  constructor(runtime: Runtime, id: string) {
    this.#runtime = runtime;
    this.#id = id;
  }

  next(): Promise<IteratorResult<Job>> {
    const answer = this.#answered.then(() => this.#take());
    this.#answered = answer.catch(() => {});
    return answer;
  }

  async #take(): Promise<IteratorResult<Job>> {
    if (!this.#begun && !this.#over) await this.#begin();
    while (this.#newest === undefined && !this.#over) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const job = this.#newest;
    this.#newest = undefined;
    if (job === undefined) return { done: true, value: undefined };
    if (!isLive(job.status)) this.#end();
    return { done: false, value: job };
  }

  async return(): Promise<IteratorResult<Job>> {
    this.#newest = undefined;
    this.#end();
    return { done: true, value: undefined };
  }

  async #begin(): Promise<void> {
    this.#begun = true;
    const live = this.#runtime.jobs.get(this.#id);
    if (live !== undefined) {
      this.#follow(live);
      return;
    }
    try {
      const ended = this.#runtime.unsavedEnds.get(this.#id);
      this.#newest = ended === undefined ? await this.#runtime.store.findJob(this.#id) : { ...ended.job };
    } finally {
      this.#end();
    }
  }

  #follow(live: LiveJob): void {
    let seen = "";
    const look = () => {
      const job = jobNow(live);
      const state = `${job.status} ${job.targetsDone} ${job.targetsFailed}`;
      if (state === seen) return;
      seen = state;
      this.#newest = job;
      this.#wake();
    };
    const subscription = live.actor.subscribe({ next: look, complete: () => this.#end() });
    this.#stop = () => subscription.unsubscribe();
    look();
  }

  #end(): void {
    this.#over = true;
    this.#stop();
    this.#wake();
  }
}
