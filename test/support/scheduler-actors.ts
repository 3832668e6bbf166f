import { type AnyActorRef, createActor } from "xstate";
import type { JobRef } from "../../src/machines/job-machine.js";
import { type SchedulerEvent, schedulerMachine } from "../../src/machines/scheduler-machine.js";
import type { WorkerRef } from "../../src/machines/worker-machine.js";
import { CountingClock, startListener } from "./machine-actors.js";
import { transitionName } from "./machine-transitions.js";

/** A scheduler, with workers that only say which turn they take, and jobs that only listen. */
export function startScheduler(workers = 2) {
  const said: string[] = [];
  const seen: string[] = [];
  const clock = new CountingClock();
  const scheduler = createActor(schedulerMachine, {
    input: { workers },
    clock,
    inspect: (event) => {
      if (event.type === "@xstate.event" && event.event.type === "worker.take")
        said.push(`${(event.actorRef as AnyActorRef).id} takes ${event.event.jobId}`);
      if (event.type !== "@xstate.microstep" || event.actorRef !== scheduler) return;
      seen.push(...event._transitions.map(transitionName));
    },
  }).start();
  const jobs = new Map<number, JobRef>();
  const job = (place: number): JobRef => {
    const known = jobs.get(place) ?? startListener(said, `job-${place}`).actor;
    jobs.set(place, known);
    return known;
  };
  const worker = (number: number) => scheduler.getSnapshot().children[`worker-${number}`] as unknown as WorkerRef;
  const send = (event: SchedulerEvent) => scheduler.send(event);
  const ready = (...places: number[]) => {
    for (const place of places) send({ type: "job.ready", place, jobId: `job-${place}`, job: job(place) });
  };
  const idle = (...numbers: number[]) => {
    for (const number of numbers) send({ type: "worker.idle", worker: worker(number) });
  };
  /** The worker goes to store the target of its turn, and asks for its next one as it does. */
  const stores = (number: number, hasMore: boolean) => {
    worker(number).send({ type: "target.started", index: 0, attempt: 1, first: false });
    worker(number).send({ type: "fetch.settled", outcome: "over", hasMore });
  };
  const stored = (number: number, again: boolean) =>
    worker(number).send({ type: "target.stored", failed: false, live: true, again });
  return { scheduler, clock, said, seen, job, worker, ready, idle, stores, stored, send };
}
