import type { Job } from "fairbatch";
import type { KeyHolder } from "./api-keys.js";
import type { Runner } from "./parts.js";
import { notFound } from "./refusal.js";

/** The caller's job as it stands now, with its lease begun anew. Somebody else's is not found, just as one that never was. */
export async function ownedJob(runner: Runner, id: string, { caller }: KeyHolder): Promise<Job> {
  const job = await jobNow(runner, id);
  if (job === undefined || job.caller !== caller.name) throw notFound();
  await runner.touch(id);
  return job;
}

/** What a watch begins with: the job without its targets. */
async function jobNow(runner: Runner, id: string): Promise<Job | undefined> {
  for await (const job of runner.watch(id)) return job;
  return undefined;
}
