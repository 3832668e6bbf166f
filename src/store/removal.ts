import type { Database } from "better-sqlite3";
import type { jobStatements } from "./job-statements.js";

/** Some 10 ms of work, where each job has 32 targets of 1 KB. */
const SWEPT_AT_ONCE = 25;

/** Sweep and eviction: terminal jobs leave, and their targets with them. */
export function removal(database: Database, jobs: ReturnType<typeof jobStatements>) {
  const evict = database.transaction((maxBytes: number) => {
    while ((jobs.totals.first({})?.nbytes ?? 0) > maxBytes) {
      const oldest = jobs.oldestTerminal.first({});
      if (oldest === undefined) return;
      jobs.remove.run(oldest);
    }
  });
  return {
    /** Takes some of them; answers whether there may be more. */
    sweep: (leaseSeconds: number) => jobs.sweep.run({ leaseSeconds, limit: SWEPT_AT_ONCE }) === SWEPT_AT_ONCE,
    evict: (maxBytes: number) => evict.immediate(maxBytes),
  };
}
