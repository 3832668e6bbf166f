import { createActor, type InspectionEvent } from "xstate";
import { type JobRef, jobMachine } from "../../src/machines/job-machine.js";
import { schedulerMachine } from "../../src/machines/scheduler-machine.js";
import { type WorkerEvent, workerMachine } from "../../src/machines/worker-machine.js";
import { CountingClock } from "./machine-actors.js";

/** A fetch in flight, of job `id`'s target `index`. */
export interface Turn {
  id: string;
  index: number;
  worker: string;
  settle(outcome: "ok" | "failed" | "later"): void;
}

/** The three machines together, over a store that always answers at once and a fetch that the test settles. */
export function startSystem(workers: number, inspect?: (event: InspectionEvent) => void) {
  const clock = new CountingClock();
  const turns: Turn[] = [];
  const ends = new Map<string, string[]>();
  const stored = new Map<string, number>();
  const cancelled = new Set<string>();
  const endOf = (id: string, end: string) => ends.set(id, [...(ends.get(id) ?? []), end]);
  const settled = new Map<string, "ok" | "failed" | "later">();
  const worker = workerMachine.provide({
    actions: {
      announceIdle: ({ self }) => scheduler.send({ type: "worker.idle", worker: self }),
      startTarget: ({ context: { jobId }, self }) => {
        const index = stored.get(jobId) ?? 0;
        const first = index === 0 && !attempted.has(jobId);
        attempted.add(jobId);
        self.send(
          cancelled.has(jobId) ? { type: "target.refused" } : { type: "target.started", index, attempt: 1, first },
        );
      },
      fetchTarget: ({ context: { jobId, index }, self }) => {
        const turn: Turn = {
          id: jobId,
          index,
          worker: self.id,
          settle(outcome) {
            turns.splice(turns.indexOf(turn), 1);
            settled.set(self.id, outcome);
            self.send({ type: "fetch.settled", outcome: outcome === "later" ? "later" : "over" });
          },
        };
        log.push(`${jobId}${index + 1}`);
        turns.push(turn);
      },
      storeTarget: ({ context: { jobId, index }, self }) => {
        stored.set(jobId, index + 1);
        const failed = settled.get(self.id) === "failed";
        self.send({ type: "target.stored", failed, live: !cancelled.has(jobId) } satisfies WorkerEvent);
      },
      deferTarget: ({ context: { jobId }, self }) =>
        self.send({ type: "target.deferred", waitMs: 500, live: !cancelled.has(jobId) }),
    },
  });
  const attempted = new Set<string>();
  const log: string[] = [];
  const scheduler = createActor(schedulerMachine.provide({ actors: { worker } }), {
    clock,
    input: { workers },
    ...(inspect === undefined ? {} : { inspect }),
  });
  scheduler.start();

  let nextPlace = 0;
  const submit = (id: string, targetsTotal: number): JobRef => {
    const logic = jobMachine.provide({
      actions: {
        announceCancelled: () => void endOf(id, "cancelled"),
        announceEnd: ({ context }) => void endOf(id, context.targetsFailed === 0 ? "done" : "not done"),
      },
    });
    const input = { jobId: id, place: nextPlace++, targetsTotal, retryWaitMs: 1_000 };
    return createActor(logic, { id, parent: scheduler, input }).start();
  };
  const cancel = (id: string, job: JobRef) => {
    cancelled.add(id);
    job.send({ type: "job.cancel" });
  };
  return { scheduler, clock, turns, ends, stored, log, submit, cancel };
}
