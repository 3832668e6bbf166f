import type { Database } from "better-sqlite3";
import type { Recovery } from "./batch-store.js";
import type { jobStatements } from "./job-statements.js";
import { toJob } from "./rows.js";
import type { targetStatements } from "./target-statements.js";

type Jobs = ReturnType<typeof jobStatements>;
type Targets = ReturnType<typeof targetStatements>;

/** Puts right in one transaction what a dead owner left: a process killed in the midst of it leaves all to the next. */
export function recovery(database: Database, jobs: Jobs, targets: Targets) {
  const recover = database.transaction((resume: ReadonlySet<string>): Recovery => {
    targets.interrupt.run({});
    const recovered: Recovery = { resumed: [], interrupted: [] };
    for (const row of jobs.listLive.all({})) {
      if (resume.has(row.id)) {
        const next = targets.findRetry.first({ jobId: row.id, index: row.targets_done });
        recovered.resumed.push({
          job: toJob(row),
          retryAtMs: next?.retry_at_ms ?? null,
          retrySinceMs: next?.retry_since_ms ?? null,
        });
      } else {
        jobs.interrupt.run({ id: row.id });
        recovered.interrupted.push(row.id);
      }
    }
    return recovered;
  });
  return (resume: ReadonlySet<string>) => recover.immediate(resume);
}
