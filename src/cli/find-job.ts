import type { Job } from "../job.js";
import type { BatchStore } from "../store/batch-store.js";
import { CommandError } from "./command-error.js";
import { shortId } from "./job-text.js";

const PAGE = 500;

/** The job whose id begins so. Fails with exit code 1 where there is none, and 2 where there are several. */
export async function findJob(store: BatchStore, beginning: string): Promise<Job> {
  const found: Job[] = [];
  for await (const job of allJobs(store)) {
    if (job.id === beginning) return job;
    if (job.id.startsWith(beginning)) found.push(job);
  }
  const [job, ...others] = found;
  if (job === undefined) throw new CommandError(`${beginning}: there is no such job`, 1);
  if (others.length === 0) return job;
  const ids = found.slice(0, 5).map(({ id }) => shortId(id));
  throw new CommandError(
    `${beginning}: ${found.length} jobs begin so (${ids.join(", ")}${found.length > 5 ? ", …" : ""})`,
  );
}

/** Each job once, in pages; also while another process removes jobs, after which a page may have no end to go on from. */
async function* allJobs(store: BatchStore): AsyncGenerator<Job> {
  const seen: string[] = [];
  for (;;) {
    const before = seen.at(-1);
    const page = await store.list({ limit: PAGE, ...(before === undefined ? {} : { before }) });
    yield* page;
    for (const { id } of page) seen.push(id);
    if (page.length === PAGE) continue;
    if (page.length > 0 || before === undefined || (await store.findJob(before)) !== undefined) return;
    seen.pop();
  }
}
