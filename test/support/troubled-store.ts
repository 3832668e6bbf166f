import type { BatchStore } from "../../src/index.js";

type Method = keyof BatchStore;

/** What a store that refuses rejects with: like SQLite's own errors, with a text that nobody else should read. */
export class StoreTrouble extends Error {
  readonly code = "SQLITE_IOERR";

  constructor() {
    super("cannot write https://store.secret.example/s3cret");
  }
}

/** A real store, of which the methods named in `refused` reject without having done anything. */
export interface TroubledStore {
  store: BatchStore;
  refused: Set<Method>;
  /** Every call of a method, refused or not, in order. */
  calls: Method[];
}

export function troubledStore(real: BatchStore): TroubledStore {
  const refused = new Set<Method>();
  const calls: Method[] = [];
  const wrapped = Object.entries(real).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      calls.push(name as Method);
      if (refused.has(name as Method)) throw new StoreTrouble();
      return (method as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return { store: Object.fromEntries(wrapped) as BatchStore, refused, calls };
}
