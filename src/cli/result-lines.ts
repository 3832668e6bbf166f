import { readResults } from "../runner/read-results.js";
import type { BatchStore } from "../store/batch-store.js";
import type { TargetStatus } from "../target.js";

/** Prints a JSON line a stored target: all there is of it in the store, and which job and file it is of. */
export class ResultLines {
  readonly #store: BatchStore;
  readonly #write: (line: string) => void;
  readonly #names = new Map<string, string>();
  #open = () => {};
  /** Lines wait for one another, and the first one for `open`. */
  #last: Promise<void>;

  constructor(store: BatchStore, write: (line: string) => void) {
    this.#store = store;
    this.#write = write;
    this.#last = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** Names a job's file. To be done for every job before `open`. */
  name(jobId: string, file: string): void {
    this.#names.set(jobId, file);
  }

  /** Prints the targets of a job that an earlier run stored. */
  storedEarlier(jobId: string): void {
    this.#next(async () => {
      for await (const target of readResults<object>(this.#store, jobId)) this.#print(jobId, target);
    });
  }

  /** Prints a target after those that were stored before it. */
  stored(jobId: string, index: number): void {
    this.#next(async () => {
      const [target] = await this.#store.targetsAfter<object>(jobId, index - 1, 1);
      if (target?.index === index) this.#print(jobId, target);
    });
  }

  open(): void {
    this.#open();
  }

  /** Resolves when all is printed; rejects where a target could not be read, after which none was printed any more. */
  printed(): Promise<void> {
    return this.#last;
  }

  #next(print: () => Promise<void>): void {
    this.#last = this.#last.then(print);
    // Told by `printed`, which nobody may have asked yet.
    this.#last.catch(() => {});
  }

  #print(jobId: string, target: TargetStatus<object>): void {
    this.#write(`${JSON.stringify({ job: jobId, file: this.#names.get(jobId), ...target })}\n`);
  }
}
