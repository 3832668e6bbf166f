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
}

/** Ids alone, since Node keeps this with all that a fetch leaves behind: a promise in a cache, a socket that is kept alive. */
interface Scope {
  readonly owner: symbol;
  readonly jobId: string;
  readonly index: number;
  readonly attempt: number;
  /** A fetch may use another runner, whose fetches are then inside of it. */
  readonly around: Scope | undefined;
}

/** One for all runners: Node 20 goes through every storage that was ever used at each promise that is made. */
const scopes = new AsyncLocalStorage<Scope>();

export function fetchScope(jobs: ReadonlyMap<string, LiveJob>): FetchScope {
  const owner = Symbol("runner");
  const home = new AsyncResource("fairbatch");
  return {
    inside({ id: jobId }, { index, attempt }, fetch, ...args) {
      return scopes.run({ owner, jobId, index, attempt, around: scopes.getStore() }, fetch, ...args);
    },
    outside: (work) => home.runInAsyncScope(work),
    currentJob() {
      let scope = scopes.getStore();
      while (scope !== undefined && scope.owner !== owner) scope = scope.around;
      const job = scope && jobs.get(scope.jobId);
      return job?.flight?.index === scope?.index && job?.flight?.attempt === scope?.attempt ? job : undefined;
    },
  };
}
