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

interface Scope {
  readonly owner: AsyncResource;
  readonly job: LiveJob;
  readonly flight: Flight;
  /** A fetch may use another runner, whose fetches are then inside of it. */
  readonly around: Scope | undefined;
}

/** One for all runners: Node 20 goes through every storage that was ever used at each promise that is made. */
const scopes = new AsyncLocalStorage<Scope>();

export function fetchScope(): FetchScope {
  const owner = new AsyncResource("fairbatch");
  return {
    inside: (job, flight, call) => scopes.run({ owner, job, flight, around: scopes.getStore() }, call),
    outside: (work) => owner.runInAsyncScope(work),
    currentJob() {
      let scope = scopes.getStore();
      while (scope !== undefined && scope.owner !== owner) scope = scope.around;
      return scope?.job.flight === scope?.flight ? scope?.job : undefined;
    },
  };
}
