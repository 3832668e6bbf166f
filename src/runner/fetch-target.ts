import type { WorkerEvent } from "../machines/worker-machine.js";
import type { FetchContext } from "./batch-runner.js";
import { endingOf } from "./ending.js";
import type { Flight, LiveJob } from "./live-job.js";
import type { Runtime } from "./runtime.js";
import { type Answer, settleFetch } from "./settle-fetch.js";

/** Runs the user's fetch for the target in flight, under a signal of its own, and settles what comes of it (R3). */
export async function fetchTarget(runtime: Runtime, job: LiveJob): Promise<WorkerEvent> {
  const { clock, controllers, gauges } = runtime;
  const flight = job.flight as Flight;
  const controller = new AbortController();
  if (runtime.phase !== "open") {
    flight.ending = endingOf(runtime, job, flight, { kind: "aborted" }, 0);
    return { type: "fetch.settled", outcome: "later" };
  }
  controllers.add(controller);
  flight.counted = true;
  gauges.addInflight(1);
  const beganMs = clock.monotonic();
  const answer = await callFetch(runtime, job, flight, controller);
  const durationMs = Math.max(0, clock.monotonic() - beganMs);
  controllers.delete(controller);
  const ending = endingOf(runtime, job, flight, settleFetch(answer, controller.signal), durationMs);
  flight.ending = ending;
  return { type: "fetch.settled", outcome: ending.kind };
}

/** Resolves to the first of: the fetch's answer, its time limit. Whatever comes later is dropped. */
function callFetch(
  { clock, fetch, scope, settings }: Runtime,
  job: LiveJob,
  flight: Flight,
  controller: AbortController,
): Promise<Answer> {
  const { url, options, index, attempt } = flight;
  const context: FetchContext = { caller: job.caller, signal: controller.signal, jobId: job.id, index, attempt };
  const call = async (): Promise<Answer> => {
    try {
      return { kind: "returned", value: await scope.inside(job, flight, () => fetch({ url, options }, context)) };
    } catch (thrown) {
      return { kind: "thrown", thrown };
    }
  };
  if (settings.targetTimeoutMs === 0) return call();
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => {
      resolve({ kind: "timed out" });
      controller.abort(new DOMException("timed out", "TimeoutError"));
    }, settings.targetTimeoutMs);
    void call().then((answer) => {
      clock.clearTimeout(timer);
      resolve(answer);
    });
  });
}
