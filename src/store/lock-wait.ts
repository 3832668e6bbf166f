import type { Database } from "better-sqlite3";
import { isBusy } from "./busy.js";

/** How long a write may block the event loop while another process writes, whose transactions take about 1 ms. */
export const LOCK_WAIT_MS = 20;
/** How long after a wait in vain nobody waits, since as many writes as there are would block one after the other. */
const APART_MS = 100;

/** Makes a write of a connection, which waits for the lock unless another has just waited in vain: that one throws at once. */
export type LockWait = <T>(write: () => T) => T;

/** The connection is to be opened with `LOCK_WAIT_MS`. */
export function lockWait(database: Database, nowMs = () => performance.now()): LockWait {
  let waitsFromMs: number | undefined;
  const setWait = (ms: number) => database.pragma(`busy_timeout = ${ms}`);

  return (write) => {
    if (waitsFromMs !== undefined && nowMs() >= waitsFromMs && database.open) {
      waitsFromMs = undefined;
      setWait(LOCK_WAIT_MS);
    }
    try {
      return write();
    } catch (error) {
      if (waitsFromMs === undefined && isBusy(error)) {
        waitsFromMs = nowMs() + APART_MS;
        setWait(0);
      }
      throw error;
    }
  };
}
