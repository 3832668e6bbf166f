import type { Database } from "better-sqlite3";

/** What one worker writes in a turn of the event loop: how a target came out, and that the next one is started. */
const WRITES_AT_ONCE = 2;

interface Write {
  make(): unknown;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** A write has taken the transaction down with it, and with that the writes before it. */
class TransactionLost extends Error {}

type Made = { answer: unknown } | { error: unknown };

/** Commits the writes of many workers together; each is answered after its commit, and fails alone. */
export class SharedCommit {
  readonly #makeAll: (writes: readonly Write[]) => Made[];
  #madeInTurn = 0;
  #isCrowded = false;
  #waiting: Write[] = [];

  constructor(database: Database) {
    const makeOne = ({ make }: Write): Made => {
      try {
        return { answer: make() };
      } catch (error) {
        // Some errors, as that of a full disk, end the whole transaction; of any other the write's savepoint takes care.
        if (!database.inTransaction) throw new TransactionLost();
        return { error };
      }
    };
    const makeAll = database.transaction((writes: readonly Write[]) => writes.map(makeOne));
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
      const all = this.#makeAll(writes);
      for (const [place, made] of all.entries()) settle(writes[place] as Write, made);
    } catch (error) {
      // Where the transaction could not be begun or committed, another for each write would fare no better.
      for (const write of writes) error instanceof TransactionLost ? makeAlone(write) : write.reject(error);
    }
  }

  #endTurn(): void {
    this.#isCrowded = this.#madeInTurn > WRITES_AT_ONCE;
    this.#madeInTurn = 0;
    this.flush();
  }
}

function settle({ resolve, reject }: Write, made: Made): void {
  if ("error" in made) reject(made.error);
  else resolve(made.answer);
}

function makeAlone({ make, resolve, reject }: Write): void {
  try {
    resolve(make());
  } catch (error) {
    reject(error);
  }
}
