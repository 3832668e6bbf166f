import type { Database } from "better-sqlite3";
import type { jobStatements } from "./job-statements.js";

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
    sweep: (leaseSeconds: number) => jobs.sweep.run({ leaseSeconds }),
    evict: (maxBytes: number) => evict.immediate(maxBytes),
  };
}
