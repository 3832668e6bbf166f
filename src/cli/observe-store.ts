import type { JobStatus } from "../job.js";
import type { BatchStore, Start, TargetOutcome } from "../store/batch-store.js";

/** Told of each change right after it is stored, in the order of storing. Must not throw: the runner waits for the store. */
export interface StoreObserver {
  targetStarted(jobId: string): void;
  /** Put back, to be tried again later. */
  targetDeferred(jobId: string): void;
  targetStored(jobId: string, outcome: TargetOutcome): void;
  /** More than once, maybe. */
  jobEnded(jobId: string, status: JobStatus): void;
}

/**
 * The same store, telling an observer of what a runner writes to it. The runner's own hooks name no job, and with
 * several workers they may come after the next target is stored too; here is the only place that knows the order.
 */
export function observeStore(store: BatchStore, observer: StoreObserver): BatchStore {
  return {
    ...store,
    async start(request) {
      const start = await store.start(request);
      tellStart(observer, request.jobId, start);
      return start;
    },
    async defer(request) {
      const live = await store.defer(request);
      // What the runner's closing cuts off is put back as well, and waits for nothing.
      if (request.retryAtMs !== null) observer.targetDeferred(request.jobId);
      if (!live) observer.jobEnded(request.jobId, "cancelled");
      return live;
    },
    async settle(request, next) {
      const settlement = await store.settle(request, next);
      for (const outcome of request.outcomes) observer.targetStored(request.jobId, outcome);
      if (!settlement.live) observer.jobEnded(request.jobId, "cancelled");
      else if (request.end !== undefined) observer.jobEnded(request.jobId, request.end);
      if (next !== undefined && settlement.started !== undefined) tellStart(observer, next.jobId, settlement.started);
      return settlement;
    },
  };
}

function tellStart(observer: StoreObserver, jobId: string, { outcome }: Start): void {
  if (outcome === "gone") observer.jobEnded(jobId, "cancelled");
  else observer.targetStarted(jobId);
}
