import type { WorkerEvent } from "../machines/worker-machine.js";
import type { Target } from "../target.js";
import type { FetchContext } from "./batch-runner.js";
import { endingOf } from "./ending.js";
import { type Flight, hasMoreTargets, isDraining, type LiveJob } from "./live-job.js";
import type { FetchInFlight, Runtime } from "./runtime.js";
import { type Answer, settleFetch } from "./settle-fetch.js";

/** With more workers than these, those whose fetches were answered in one turn of the event loop store together. */
const APART_WORKERS = 2;

/**
 * Runs the user's fetch for the target in flight, under a signal of its own, and settles what comes of it (R3). Between two
 * targets the event loop turns: instant fetches would else never let the host's timers and sockets have theirs (R2).
 */
export async function fetchTarget(runtime: Runtime, job: LiveJob): Promise<WorkerEvent> {
  const { clock, fetches, gauges, settings, eventLoopTurn } = runtime;
  const flight = job.flight as Flight;
  const storesTogether = settings.workers > APART_WORKERS;
  if (job.justStored && !storesTogether) await eventLoopTurn.passed();
  job.justStored = false;
  // Its start was stored together with the target before, and meanwhile the job was cancelled or the runner began to close.
  if (isUnwanted(runtime, job)) return putBack(runtime, flight);
  const inFlight: FetchInFlight = { controller: new AbortController(), abandon: () => {} };
  fetches.add(inFlight);
  flight.counted = true;
  gauges.addInflight(1);
  // The gauge has a hook, which may cancel and close.
  if (isUnwanted(runtime, job)) {
    fetches.delete(inFlight);
    return putBack(runtime, flight);
  }
  const beganMs = clock.monotonic();
  const answer = await firstAnswer(runtime, inFlight, callFetch(runtime, job, flight, inFlight.controller.signal));
  const durationMs = Math.max(0, clock.monotonic() - beganMs);
  fetches.delete(inFlight);
  if (flight.closedFromInside && isOpen(runtime)) awaitAgain(runtime, job);
  flight.ending = endingOf(runtime, job, flight, settleFetch(answer, inFlight.controller.signal), durationMs);
  // Whoever closes from inside of a fetch does not wait for it.
  if (storesTogether && isOpen(runtime)) await eventLoopTurn.passed();
  return { type: "fetch.settled", outcome: flight.ending.kind, hasMore: hasMoreTargets(job) };
}

const isOpen = (runtime: Runtime) => runtime.phase === "open";
const isUnwanted = (runtime: Runtime, job: LiveJob) => !isOpen(runtime) || isDraining(job);

/** A target that was started and is not to be fetched. */
function putBack({ clock, settings }: Runtime, flight: Flight): WorkerEvent {
  flight.ending = { kind: "later", dueMs: clock.monotonic() + settings.retryWaitMs, asked: false, unfetched: true };
  return { type: "fetch.settled", outcome: "later", hasMore: false };
}

/** A drain that was under way when the fetch closed the runner waits for its job again. */
function awaitAgain({ busyJobs, unannounced }: Runtime, job: LiveJob): void {
  busyJobs.add(job.id);
  if (!isDraining(job)) unannounced.add(job.id);
}

/** Nothing here is a closure over the job: a fetch that never answers is often kept for ever, and with it what waits for it. */
function callFetch({ fetch, scope }: Runtime, job: LiveJob, flight: Flight, signal: AbortSignal): Promise<Answer> {
  const { url, options, index, attempt } = flight;
  const context: FetchContext = { caller: job.caller, signal, jobId: job.id, index, attempt };
  return scope.inside(job, flight, answerOf, fetch, { url, options }, context);
}

/** All of it inside of the fetch's scope: the `then` of whatever it returns is user code too. */
function answerOf(fetch: Runtime["fetch"], target: Target<object>, context: FetchContext): Promise<Answer> {
  return new Promise((resolve) => resolve(fetch(target, context))).then(returned, thrownBy);
}

const returned = (value: unknown): Answer => ({ kind: "returned", value });
const thrownBy = (thrown: unknown): Answer => ({ kind: "thrown", thrown });

/** Resolves to the first of: the fetch's answer, its time limit, the end of the runner. Whatever comes later is dropped. */
function firstAnswer(
  { clock, settings: { targetTimeoutMs } }: Runtime,
  inFlight: FetchInFlight,
  called: Promise<Answer>,
): Promise<Answer> {
  return new Promise((resolve) => {
    const timer = targetTimeoutMs === 0 ? undefined : clock.setTimeout(timeOut, targetTimeoutMs);
    function timeOut() {
      resolve({ kind: "timed out" });
      inFlight.controller.abort(new DOMException("timed out", "TimeoutError"));
    }
    function end(answer: Answer) {
      if (timer !== undefined) clock.clearTimeout(timer);
      resolve(answer);
    }
    // A function made in the assignment would live until the next full garbage collection, see keepActionExecutor.
    function abandon() {
      end({ kind: "abandoned" });
    }
    inFlight.abandon = abandon;
    void called.then(end);
  });
}
