import { unixSeconds } from "../clock.js";
import { BatchError } from "../errors.js";
import type { Caller, FetchOptions } from "../target.js";
import { type Actors, startActors } from "./actors.js";
import type { Batch, BatchRunner, CloseOptions, FetchFunc, RunnerConfig } from "./batch-runner.js";
import { closeRunner, exemptCallingFetch } from "./close-runner.js";
import { EventLoopTurn } from "./event-loop-turn.js";
import { fetchScope } from "./fetch-scope.js";
import { keepGauges } from "./gauges.js";
import { guardedClock } from "./guarded-clock.js";
import { guardedHooks } from "./guarded-hooks.js";
import { saveEnds, sweep } from "./housekeeping.js";
import { guardedLog } from "./log.js";
import { readBatch } from "./read-batch.js";
import { readResults } from "./read-results.js";
import { type Resumption, recoverJobs, resumeJobs } from "./recover-jobs.js";
import type { Runtime } from "./runtime.js";
import { readSettings, timerMs } from "./settings.js";
import { submitBatch } from "./submit-batch.js";
import { WaitableSet } from "./waitable-set.js";
import { watchJob } from "./watch-job.js";

/**
 * Makes a runner over a store that no other runner holds, after putting right what a dead one left there.
 * Rejects with a `RangeError` or `TypeError` that names a bad option, or with `ERR_STORE_IN_USE`.
 */
export async function createBatchRunner<C extends Caller = Caller, O extends object = FetchOptions>(
  config: RunnerConfig<C, O>,
): Promise<BatchRunner<C, O>> {
  const runtime = createRuntime(config);
  const { inspect, resume } = config;
  if (resume !== undefined && typeof resume !== "function") throw new TypeError("resume must be a function");
  const giveBack = await runtime.store.own();
  let resumptions: Resumption[];
  try {
    resumptions = await recoverJobs(runtime, resume);
    await sweep(runtime);
  } catch (error) {
    await giveBack();
    throw error;
  }
  const actors = startActors(runtime, inspect);
  actors.start();
  for (const { actor } of resumeJobs(runtime, actors, resumptions)) actor.start();
  return batchRunner<C, O>(runtime, actors, giveBack);
}

function createRuntime<C extends Caller, O extends object>(config: RunnerConfig<C, O>): Runtime {
  if (typeof config.fetch !== "function") throw new TypeError("fetch must be a function");
  if (typeof config.store?.own !== "function") throw new TypeError("store must be what openSqliteStore resolves to");
  const hooks = guardedHooks(config.hooks);
  const jobs: Runtime["jobs"] = new Map();
  return {
    settings: readSettings(config),
    store: config.store,
    fetch: config.fetch as FetchFunc<never, never> as FetchFunc<Caller, object>,
    clock: guardedClock(config.clock),
    hooks,
    log: guardedLog(config.logger),
    gauges: keepGauges(hooks),
    scope: fetchScope(jobs),
    eventLoopTurn: new EventLoopTurn(),
    jobs,
    fetches: new Set(),
    busyJobs: new WaitableSet(),
    unannounced: new WaitableSet(),
    unsavedEnds: new Map(),
    savingEnds: undefined,
    unsavedEndsTimer: undefined,
    refusedChores: new Set(),
    phase: "open",
  };
}

function batchRunner<C extends Caller, O extends object>(
  runtime: Runtime,
  actors: Actors,
  giveBack: () => Promise<void>,
): BatchRunner<C, O> {
  const { store, scope, jobs } = runtime;
  const submits = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  return {
    async submit(batch: Batch<C, O>) {
      if (closed !== undefined) throw new BatchError("ERR_CLOSED");
      const submission = readBatch(batch);
      // A getter of the batch may have closed the runner, and with it given the store to the next.
      if (closed !== undefined) throw new BatchError("ERR_CLOSED");
      const submit = submitBatch(runtime, actors, submission, () => closed !== undefined);
      submits.add(submit);
      return submit.finally(() => submits.delete(submit));
    },
    async cancel(id) {
      if (runtime.unsavedEnds.size > 0) await saveEnds(runtime);
      if (runtime.unsavedEnds.has(id)) return false;
      const cancelled = await store.cancel(id);
      if (cancelled) scope.outside(() => jobs.get(id)?.actor.send({ type: "job.cancel" }));
      return cancelled;
    },
    status: (id) => store.status<O>(id),
    results: (id) => readResults<O>(store, id),
    watch: (id) => watchJob(runtime, id),
    touch: (id) => store.touch(id, unixSeconds(runtime.clock)),
    async idle() {
      await Promise.allSettled(submits);
      await runtime.unannounced.whenEmpty();
    },
    close(options: CloseOptions = {}) {
      try {
        const { drain, timeoutMs } = closed === undefined ? options : {};
        const limitMs = timerMs("timeoutMs", timeoutMs, 0);
        exemptCallingFetch(runtime);
        if (closed === undefined) {
          // Closed before closing begins: aborting calls the listeners of fetches, which may close and submit.
          let begin = (_closing: Promise<void>) => {};
          closed = new Promise((resolve) => {
            begin = resolve;
          });
          begin(closeRunner({ runtime, actors, submits, giveBack }, drain === true, limitMs));
        }
        return closed;
      } catch (error) {
        return Promise.reject(error);
      }
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
    gauges: runtime.gauges.gauges,
  };
}
