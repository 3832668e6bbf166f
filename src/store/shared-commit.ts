import type { Database } from "better-sqlite3";
import { isBusy } from "./busy.js";

/** What one worker writes in a turn of the event loop: how a target came out, and that the next one is started. */
const WRITES_AT_ONCE = 2;

interface Write {
  make(): unknown;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** Commits the writes of many workers together; each is answered after its commit, and fails alone. */
export class SharedCommit {
  readonly #makeAll: (writes: readonly Write[]) => unknown[];
  #madeInTurn = 0;
  #isCrowded = false;
  #waiting: Write[] = [];

  constructor(database: Database) {
    const makeAll = database.transaction((writes: readonly Write[]) => writes.map(({ make }) => make()));
    this.#makeAll = (writes) => makeAll.immediate(writes);
  }

  /** Makes the first writes of a turn at once, each a transaction; the further ones, and all after a crowded turn, in one at its end. */
  run<T>(make: () => T): Promise<T> {
    if (this.#madeInTurn === 0) setImmediate(() => this.#endTurn());
    this.#madeInTurn++;
    return new Promise<T>((resolve, reject) => {
      if (!this.#isCrowded && this.#madeInTurn <= WRITES_AT_ONCE) resolve(make());
      else this.#waiting.push({ make, resolve: resolve as Write["resolve"], reject });
    });
  }

  /** Makes the writes that still wait for the end of the turn. */
  flush(): void {
    const writes = this.#waiting;
    if (writes.length === 0) return;
    this.#waiting = [];
    try {
      const answers = this.#makeAll(writes);
      for (const [place, { resolve }] of writes.entries()) resolve(answers[place]);
    } catch (error) {
      // While another process holds the lock, each try blocks the event loop for a while: one is enough for all.
      for (const write of writes) isBusy(error) ? write.reject(error) : makeAlone(write);
    }
  }

  #endTurn(): void {
    this.#isCrowded = this.#madeInTurn > WRITES_AT_ONCE;
    this.#madeInTurn = 0;
    this.flush();
  }
}

function makeAlone({ make, resolve, reject }: Write): void {
  try {
    resolve(make());
  } catch (error) {
    reject(error);
  }
}
