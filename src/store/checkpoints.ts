import { realpathSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { type CheckpointThread, checkpointThread } from "./checkpoint-thread.js";
import { CHECKPOINT_PAGES } from "./connection.js";

/** Looking at the log takes some 8 microseconds. */
const TARGETS_A_LOOK = 32;
/** A log that has come to this is going to need checkpoints: time to have the thread ready. */
const START_PAGES = CHECKPOINT_PAGES / 2;
/**
 * While it is written all the time, a thread never copies the last of a log, which so never begins anew. At this size,
 * 32 MB, the connection copies by itself the little that is left.
 */
const LIMIT_PAGES = 8_000;

/** Who copies the write-ahead log into the database file: a thread of the store's own, else the connection itself. */
export interface Checkpoints {
  /** Passes on the answer of a write that has been committed, of one target unless said otherwise. Never throws. */
  after<T>(answer: T, targets?: number): T;
  /** Ends the thread, if there is one. The store's own connection must be closed before: see there. */
  end(): Promise<void>;
}

/**
 * A checkpoint waits for the disk, for about 10 ms: in a thread of its own it does not hold up the event loop. Until there is
 * one, and where there can be none, the connection does its own, of 1,000 pages.
 */
export function checkpoints(database: Database): Checkpoints {
  let start = database.memory ? undefined : attempt(() => checkpointThread(realpathSync(database.name)));
  let thread: CheckpointThread | undefined;
  let unseen = 0;

  const copyFrom = (pages: number) => {
    if (database.open) attempt(() => database.pragma(`wal_autocheckpoint = ${pages}`));
  };
  const giveUp = () => {
    [start, thread] = [undefined, undefined];
    copyFrom(CHECKPOINT_PAGES);
  };
  const look = () => {
    const [log] = database.pragma("wal_checkpoint(noop)") as [{ log: number; checkpointed: number }];
    if (thread !== undefined) {
      if (log.log - log.checkpointed >= CHECKPOINT_PAGES) thread.ask();
    } else if (log.log >= START_PAGES) {
      thread = attempt(() => start?.(giveUp));
      // Already while it gets ready, which takes about 0.1 s.
      thread === undefined ? giveUp() : copyFrom(LIMIT_PAGES);
    }
  };
  return {
    after(answer, targets = 1) {
      unseen += targets;
      if (start === undefined || unseen < TARGETS_A_LOOK) return answer;
      unseen = 0;
      attempt(look);
      return answer;
    },
    async end() {
      start = undefined;
      await thread?.end();
    },
  };
}

/** What fails here must not fail the write that it comes after. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
