import { expect, test } from "vitest";
import type { SnapshotFrom } from "xstate";
import { type WorkerEvent, workerMachine } from "../../src/machines/worker-machine.js";
import { startListener, startWorker, stateName } from "../support/machine-actors.js";
import { pathsThrough } from "../support/machine-paths.js";
import { transitionName, uncovered } from "../support/machine-transitions.js";

const jobA = startListener([], "job a").actor;
const jobB = startListener([], "job b").actor;
const takeA: WorkerEvent = { type: "worker.take", place: 3, job: jobA, jobId: "a" };
const takeB: WorkerEvent = { type: "worker.take", place: 5, job: jobB, jobId: "b" };
const stored: Extract<WorkerEvent, { type: "target.stored" }> = {
  type: "target.stored",
  failed: false,
  live: true,
  again: false,
};
const begun = { index: 2, attempt: 1 };

/** What each state's effect can answer, and the scheduler where the worker waits for a turn. */
const answers: Record<string, WorkerEvent[]> = {
  idle: [takeA, takeB],
  starting: [
    { type: "target.started", index: 0, attempt: 1, first: true },
    { type: "target.started", index: 1, attempt: 2, first: false },
    { type: "target.faulted", hasMore: true },
    { type: "target.refused" },
    { type: "target.unstarted" },
  ],
  fetching: [
    { type: "fetch.settled", outcome: "over", hasMore: true },
    { type: "fetch.settled", outcome: "later", hasMore: true },
  ],
  deferring: [{ type: "target.deferred", waitMs: 500, live: true }, { type: "target.unsaved" }],
};

/** The scheduler gives one turn, before the store answers; the next target is started with it only where there is one. */
function possible(state: SnapshotFrom<typeof workerMachine>): WorkerEvent[] {
  const { next, jobId } = state.context;
  if (stateName(state) !== "storing") return answers[stateName(state)] ?? [];
  if (next === undefined) return [takeA, takeB, stored, { type: "target.unsaved" }];
  const hasMore = { ...stored, again: next.jobId === jobId };
  return [hasMore, { ...hasMore, begun }, { ...stored, live: false }, { type: "target.unsaved" }];
}

/** Turns that the job `a` or `b` was told of or went on with: what its lines say. */
function linesOf(said: string[], start: string): number {
  return said.filter((line) => line.startsWith(start)).length;
}

test("R2, R3: every path that the world can take a worker: each turn is taken once and its job hears of its end once", () => {
  const seen = { states: new Set<string>(), transitions: new Set<string>() };
  const paths = pathsThrough<typeof workerMachine, WorkerEvent>(
    workerMachine,
    undefined,
    possible,
    ({ context: { jobId, index, attempt, next } }) => [jobId, index, attempt, next?.jobId],
  );
  expect(paths.length).toBeGreaterThan(60);
  console.info(`${paths.length} paths`);

  for (const path of paths) {
    const { run, job, other, said, state, transitions, worker } = startWorker();
    const real = (event: WorkerEvent) =>
      event.type === "worker.take" ? { ...event, job: event.jobId === "a" ? job : other } : event;
    const ends = { a: 0, b: 0 };
    const expected = { idle: 1, asking: 0, fetches: 0 };
    seen.states.add(state());
    for (const { event, state: pure } of path) {
      const before = worker.getSnapshot().context;
      const whose = before.jobId as "a" | "b";
      run(real(event));
      const { jobId, index, attempt, next } = worker.getSnapshot().context;
      expect([state(), jobId, index, attempt, next?.jobId]).toEqual([
        stateName(pure),
        pure.context.jobId,
        pure.context.index,
        pure.context.attempt,
        pure.context.next?.jobId,
      ]);
      if (/^target\.(stored|deferred|unsaved|refused|unstarted)$/.test(event.type)) ends[whose]++;
      if (event.type === "target.started" && event.first) ends[whose]++;
      if (state() === "idle") expected.idle++;
      if (state() === "storing" && event.type !== "worker.take") expected.asking++;
      if (state() === "fetching") expected.fetches++;
      seen.states.add(state());
    }
    expect({
      a: linesOf(said, "job a <-"),
      b: linesOf(said, "job b <-"),
      idle: linesOf(said, "announceIdle"),
      asking: linesOf(said, "parent <- worker.asking"),
      fetches: linesOf(said, "fetchTarget"),
    }).toEqual({ ...ends, ...expected });
    for (const { transition } of transitions) seen.transitions.add(transitionName(transition));
  }

  expect(uncovered(workerMachine, seen)).toEqual({ states: [], transitions: [] });
});
