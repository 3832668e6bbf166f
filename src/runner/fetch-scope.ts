import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { Flight, LiveJob } from "./live-job.js";

/** Knows whether code runs inside a fetch, and keeps the runner's own work out of whatever context its callers are in. */
export interface FetchScope {
  /** Calls the fetch of a job's flight. */
  inside<T>(job: LiveJob, flight: Flight, call: () => T): T;
  /** Runs the runner's own work in the context in which the runner was made. */
  outside<T>(work: () => T): T;
  /** The job whose fetch this code runs in, however deep, as long as that fetch is in flight. */
  currentJob(): LiveJob | undefined;
}

export function fetchScope(): FetchScope {
  const storage = new AsyncLocalStorage<{ job: LiveJob; flight: Flight }>();
  const home = new AsyncResource("fairbatch");
  return {
    inside: (job, flight, call) => storage.run({ job, flight }, call),
    outside: (work) => home.runInAsyncScope(work),
    currentJob() {
      const current = storage.getStore();
      return current?.job.flight === current?.flight ? current?.job : undefined;
    },
  };
}
