import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";

/** Knows whether code runs inside a fetch, and keeps the runner's own work out of whatever context its callers are in. */
export interface FetchScope {
  /** Calls a fetch of this job. */
  inside<T>(jobId: string, call: () => T): T;
  /** Runs the runner's own work in the context in which the runner was made. */
  outside<T>(work: () => T): T;
  /** The job whose fetch this code runs in, however deep and however late. */
  currentJobId(): string | undefined;
}

export function fetchScope(): FetchScope {
  const storage = new AsyncLocalStorage<string>();
  const home = new AsyncResource("fairbatch");
  return {
    inside: (jobId, call) => storage.run(jobId, call),
    outside: (work) => home.runInAsyncScope(work),
    currentJobId: () => storage.getStore(),
  };
}
