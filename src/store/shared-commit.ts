import type { Database } from "better-sqlite3";
import { isBusy } from "./busy.js";
import type { LockWait } from "./lock-wait.js";

interface Write {
  make(): unknown;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** Makes a write; resolves after its commit. */
export type Commit = <T>(make: () => T) => Promise<T>;

/**
 * Writes that are asked for in one go, before whoever asks lets go of the event loop, share a transaction: those of many
 * workers whose fetches were answered in the same turn. Each is answered after the commit, and fails alone; `committed` is
 * told after each transaction how many it held.
 */
export function sharedCommit(database: Database, locked: LockWait, committed: (writes: number) => void): Commit {
  let waiting: Write[] = [];
  const makeAll = database.transaction((writes: readonly Write[]) => writes.map(({ make }) => make()));
  const makeOne = database.transaction(({ make }: Write) => make());

  const commitAlone = (write: Write) => {
    try {
      write.resolve(locked(() => makeOne.immediate(write)));
      committed(1);
    } catch (error) {
      write.reject(error);
    }
  };
  const commitAll = (writes: readonly Write[]) => {
    try {
      const answers = locked(() => makeAll.immediate(writes));
      for (const [place, write] of writes.entries()) write.resolve(answers[place]);
      committed(writes.length);
    } catch (error) {
      // A write that fails takes the others with it. A lock that another process holds would block for each of them.
      for (const write of writes) isBusy(error) ? write.reject(error) : commitAlone(write);
    }
  };
  const commit = () => {
    const writes = waiting;
    waiting = [];
    const [first] = writes;
    if (writes.length === 1 && first !== undefined) commitAlone(first);
    else commitAll(writes);
  };
  return <T>(make: () => T) =>
    new Promise<T>((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(commit);
      waiting.push({ make, resolve: resolve as Write["resolve"], reject });
    });
}
