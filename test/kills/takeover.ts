import { createBatchRunner, openSqliteStore } from "../../src/index.js";
import { pageOf } from "./site.js";

const CALLERS = ["ann", "bob", "cat"];

/** What a runner of this process found when it took a file over from the dead. */
export interface Takeover {
  /** The targets it fetched of the jobs it found, as `id/0 1`: job, index, attempt. */
  fetched: string[];
  /** How many jobs its hook told of before it was there. */
  toldAtStart: number;
  /** How many jobs were admitted once it had nothing to do; there are slots for six. */
  admitted: number;
}

/** Takes a file over at once, lets what is live end, and fills every slot with new jobs. */
export async function takeOver(path: string, resume: boolean): Promise<Takeover> {
  const store = await openSqliteStore(path);
  const fetched: string[] = [];
  let toldAtStart = 0;
  const runner = await createBatchRunner({
    store,
    fetch: ({ url }, { jobId, index, attempt }) => {
      if (!url.startsWith("/after/")) fetched.push(`${jobId}/${index} ${attempt}`);
      return { content: pageOf(url) };
    },
    hooks: { job: () => toldAtStart++ },
    ...{ jobsPerCaller: 2, jobsTotal: 6 },
    ...(resume ? { resume: ({ caller }: { caller: string }) => ({ name: caller }) } : {}),
  });
  const takeover = { fetched, toldAtStart, admitted: 0 };
  await runner.idle();
  for (const name of [...CALLERS, ...CALLERS]) {
    const url = `/after/${takeover.admitted++}`;
    await runner.submit({ caller: { name }, callerClass: "", targets: [{ url }] });
  }
  await runner.close({ drain: true });
  await store.close();
  return takeover;
}
