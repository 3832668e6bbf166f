import { createActor, type InspectionEvent } from "xstate";
import { type JobRef, jobMachine } from "../../src/machines/job-machine.js";
import { schedulerMachine } from "../../src/machines/scheduler-machine.js";
import { type WorkerContext, type WorkerRef, workerMachine } from "../../src/machines/worker-machine.js";
import { CountingClock } from "./machine-actors.js";

export type Outcome = "ok" | "failed" | "later";

/** A fetch in flight, of job `id`'s target `index`. */
export interface Turn {
  id: string;
  index: number;
  worker: string;
  settle(outcome: Outcome): void;
  /** Settles it and keeps the store's answer back, until what this returns is called. */
  answer(outcome: Outcome): () => void;
}

/** The three machines together, over a store that answers at once, unless told otherwise, and a fetch that the test settles. */
export function startSystem(workers: number, seenBy?: (event: InspectionEvent) => void) {
  const clock = new CountingClock();
  const turns: Turn[] = [];
  const ends = new Map<string, string[]>();
  const cancelled = new Set<string>();
  /** Each turn that the scheduler gave, in order. */
  const given: string[] = [];
  const log: string[] = [];
  const idle: WorkerRef[] = [];
  // As the runner's, a worker says that it is idle only when all have heard of what it has done.
  const quiet = () => {
    for (let worker = idle.shift(); worker !== undefined; worker = idle.shift()) {
      scheduler.send({ type: "worker.idle", worker });
    }
  };
  const { totals, stored, effects } = effectsOver(turns, log, cancelled, quiet);
  const endOf = (id: string, end: string) => ends.set(id, [...(ends.get(id) ?? []), end]);
  const worker = workerMachine.provide({
    actions: {
      ...effects,
      announceIdle: ({ self }) => void idle.push(self),
    },
  });
  const inspect = (event: InspectionEvent) => {
    if (event.type === "@xstate.event" && event.event.type === "worker.take") given.push(event.event.jobId);
    seenBy?.(event);
  };
  const scheduler = createActor(schedulerMachine.provide({ actors: { worker } }), {
    clock,
    inspect,
    input: { workers },
  });
  scheduler.start();
  quiet();

  let nextPlace = 0;
  const submit = (id: string, targetsTotal: number): JobRef => {
    totals.set(id, targetsTotal);
    const logic = jobMachine.provide({
      actions: {
        announceCancelled: () => void endOf(id, "cancelled"),
        announceEnd: ({ context }) => void endOf(id, context.targetsFailed === 0 ? "done" : "not done"),
      },
    });
    const input = { jobId: id, place: nextPlace++, targetsTotal, retryWaitMs: 1_000 };
    const job = createActor(logic, { id, parent: scheduler, input }).start();
    quiet();
    return job;
  };
  const cancel = (id: string, job: JobRef) => {
    cancelled.add(id);
    job.send({ type: "job.cancel" });
    quiet();
  };
  return { scheduler, clock, turns, ends, stored, given, log, submit, cancel };
}

type Asker = Parameters<NonNullable<Parameters<typeof workerMachine.provide>[0]["actions"]>["startTarget"] & object>[0];

/** The effects of the workers: as the runner's, but for the store and the fetch. */
function effectsOver(turns: Turn[], log: string[], cancelled: ReadonlySet<string>, quiet: () => void) {
  const totals = new Map<string, number>();
  const stored = new Map<string, number>();
  const started = new Set<string>();
  const outcomes = new Map<string, Outcome>();
  const held = new Map<string, () => void>();

  /** The next target as it is started with the one before: not where that is the first of its job, or the job is cancelled. */
  function begin(next: WorkerContext["next"]) {
    if (next === undefined || !started.has(next.jobId) || cancelled.has(next.jobId)) return undefined;
    return { index: stored.get(next.jobId) ?? 0, attempt: 1 };
  }

  const startTarget = ({ context: { jobId }, self }: Asker) => {
    const first = !started.has(jobId);
    if (cancelled.has(jobId)) return self.send({ type: "target.refused" });
    started.add(jobId);
    self.send({ type: "target.started", index: stored.get(jobId) ?? 0, attempt: 1, first });
  };
  const fetchTarget = ({ context: { jobId, index }, self }: Asker) => {
    if (cancelled.has(jobId)) return self.send({ type: "fetch.settled", outcome: "later", hasMore: false });
    const answer = (outcome: Outcome) => {
      turns.splice(turns.indexOf(turn), 1);
      outcomes.set(self.id, outcome);
      const hasMore = index + 1 < (totals.get(jobId) ?? 0) && !cancelled.has(jobId);
      self.send({ type: "fetch.settled", outcome: outcome === "later" ? "later" : "over", hasMore });
      quiet();
      return () => {
        held.get(self.id)?.();
        held.delete(self.id);
        quiet();
      };
    };
    const turn: Turn = { id: jobId, index, worker: self.id, answer, settle: (outcome) => answer(outcome)() };
    log.push(`${jobId}${index + 1}`);
    turns.push(turn);
  };
  const storeTarget = ({ context: { jobId, index }, self }: Asker) => {
    held.set(self.id, () => {
      const { next } = self.getSnapshot().context as WorkerContext;
      stored.set(jobId, index + 1);
      const live = !cancelled.has(jobId);
      const again = live && next?.jobId === jobId;
      const begun = again || next?.jobId !== jobId ? begin(next) : undefined;
      self.send({ type: "target.stored", failed: outcomes.get(self.id) === "failed", live, again, begun });
    });
  };
  const deferTarget = ({ context: { jobId }, self }: Asker) =>
    self.send({ type: "target.deferred", waitMs: 500, live: !cancelled.has(jobId) });
  return { totals, stored, effects: { startTarget, fetchTarget, storeTarget, deferTarget } };
}
