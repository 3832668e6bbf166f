import type { BatchStore } from "../../src/index.js";
import type { SeededRandom } from "../support/seeded-random.js";
import type { Told } from "./life.js";

/** Somebody who looks at the jobs of another process through a store of their own, and now and then cancels one. */
export class Elsewhere {
  /** Jobs that this one cancelled. */
  readonly cancelled: string[] = [];
  /** Jobs that were read in a state that no job is ever in, and what calls failed with. */
  readonly torn: unknown[] = [];
  readonly #store: BatchStore;
  readonly #random: SeededRandom;
  readonly #asked: Promise<void>[] = [];

  constructor(store: BatchStore, random: SeededRandom) {
    this.#store = store;
    this.#random = random;
  }

  hear(message: Told): void {
    if (message.told === "stored") this.#ask(this.#look(message.id));
    if (message.told === "fetch" && this.#random(25) === 0) this.#ask(this.#cancel(message.id));
  }

  #ask(call: Promise<void>): void {
    this.#asked.push(call.catch((error: unknown) => void this.torn.push(error)));
  }

  /** Resolves once every call was answered. */
  async answered(): Promise<void> {
    await Promise.all(this.#asked.splice(0));
  }

  async #cancel(id: string): Promise<void> {
    if (await this.#store.cancel(id)) this.cancelled.push(id);
  }

  async #look(id: string): Promise<void> {
    const report = await this.#store.status(id);
    if (report === undefined) return;
    const { job, targets } = report;
    const over = targets.filter(({ status }) => status === "done" || status === "failed").length;
    const isEnded = job.status === "done" || job.status === "partial" || (job.status === "failed" && job.error === "");
    const isWhole = job.targetsDone === over && (isEnded ? over === job.targetsTotal : true);
    const isLive = job.status === "queued" || job.status === "running";
    if (!isWhole || (isLive && over === job.targetsTotal)) this.torn.push(report);
  }
}
