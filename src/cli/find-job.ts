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

async function* allJobs(store: BatchStore): AsyncGenerator<Job> {
  let before: string | undefined;
  for (;;) {
    const page = await store.list({ limit: PAGE, ...(before === undefined ? {} : { before }) });
    yield* page;
    if (page.length < PAGE) return;
    before = page.at(-1)?.id;
  }
}
