import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { Flight, LiveJob } from "./live-job.js";

/** Knows whether code runs inside a fetch, and keeps the runner's own work out of whatever context its callers are in. */
export interface FetchScope {
  /** Calls the fetch of a job's flight. */
  inside<A extends unknown[], T>(job: LiveJob, flight: Flight, fetch: (...args: A) => T, ...args: A): T;
  /** Runs the runner's own work in the context in which the runner was made. */
  outside<T>(work: () => T): T;
  /** The job whose fetch this code runs in, however deep, as long as that fetch is in flight. */
  currentJob(): LiveJob | undefined;
  /** Once nothing is fetched any more: Node keeps each storage that was ever used, and asks it at every async call, until told. */
  end(): void;
}

/** Ids alone, since Node keeps this with all that a fetch leaves behind: a promise in a cache, a socket that is kept alive. */
interface FetchId {
  jobId: string;
  index: number;
  attempt: number;
}

export function fetchScope(jobs: ReadonlyMap<string, LiveJob>): FetchScope {
  const storage = new AsyncLocalStorage<FetchId>();
  const home = new AsyncResource("fairbatch");
  return {
    inside: ({ id }, { index, attempt }, fetch, ...args) => storage.run({ jobId: id, index, attempt }, fetch, ...args),
    outside: (work) => home.runInAsyncScope(work),
    currentJob() {
      const current = storage.getStore();
      const job = current && jobs.get(current.jobId);
      return job?.flight?.index === current?.index && job?.flight?.attempt === current?.attempt ? job : undefined;
    },
    end: () => storage.disable(),
  };
}
