import type { WorkerEvent } from "../machines/worker-machine.js";
import type { FetchContext } from "./batch-runner.js";
import { endingOf } from "./ending.js";
import type { Flight, LiveJob } from "./live-job.js";
import type { FetchInFlight, Runtime } from "./runtime.js";
import { type Answer, settleFetch } from "./settle-fetch.js";

/** Runs the user's fetch for the target in flight, under a signal of its own, and settles what comes of it (R3). */
export async function fetchTarget(runtime: Runtime, job: LiveJob): Promise<WorkerEvent> {
  const { clock, fetches, gauges } = runtime;
  const flight = job.flight as Flight;
  if (runtime.phase !== "open") {
    flight.ending = endingOf(runtime, job, flight, { kind: "aborted" }, 0);
    return { type: "fetch.settled", outcome: "later" };
  }
  const inFlight: FetchInFlight = { controller: new AbortController(), timer: undefined };
  fetches.add(inFlight);
  flight.counted = true;
  gauges.addInflight(1);
  const beganMs = clock.monotonic();
  const answer = await callFetch(runtime, job, flight, inFlight);
  const durationMs = Math.max(0, clock.monotonic() - beganMs);
  fetches.delete(inFlight);
  flight.ending = endingOf(runtime, job, flight, settleFetch(answer, inFlight.controller.signal), durationMs);
  return { type: "fetch.settled", outcome: flight.ending.kind };
}

/** Resolves to the first of: the fetch's answer, its time limit. Whatever comes later is dropped. */
function callFetch(
  { clock, fetch, scope, settings }: Runtime,
  job: LiveJob,
  flight: Flight,
  inFlight: FetchInFlight,
): Promise<Answer> {
  const { url, options, index, attempt } = flight;
  const { controller } = inFlight;
  const context: FetchContext = { caller: job.caller, signal: controller.signal, jobId: job.id, index, attempt };
  // Async, so that the `then` of whatever it returns is called inside too.
  const fetchInside = () => scope.inside(job, flight, async () => fetch({ url, options }, context));
  const call = async (): Promise<Answer> => {
    try {
      return { kind: "returned", value: await fetchInside() };
    } catch (thrown) {
      return { kind: "thrown", thrown };
    }
  };
  if (settings.targetTimeoutMs === 0) return call();
  return new Promise((resolve) => {
    inFlight.timer = clock.setTimeout(() => {
      resolve({ kind: "timed out" });
      controller.abort(new DOMException("timed out", "TimeoutError"));
    }, settings.targetTimeoutMs);
    void call().then((answer) => {
      clock.clearTimeout(inFlight.timer);
      resolve(answer);
    });
  });
}
