import { findJob } from "./find-job.js";
import { shortId } from "./job-text.js";
import { withExistingStore } from "./open-store.js";

/** `fairbatch cancel`: exit code 1 where the job was already over. A runner at work stops before the job's next target. */
export function cancelCommand(idBeginning: string, { db, json }: { db: string; json?: boolean }): Promise<number> {
  return withExistingStore(db, async (store) => {
    const { id } = await findJob(store, idBeginning);
    const cancelled = await store.cancel(id);
    const status = (await store.findJob(id))?.status;
    if (json) process.stdout.write(`${JSON.stringify({ id, cancelled, status })}\n`);
    else
      process.stderr.write(`job ${shortId(id)} ${cancelled ? "is cancelled" : `was already ${status ?? "removed"}`}\n`);
    return cancelled ? 0 : 1;
  });
}
