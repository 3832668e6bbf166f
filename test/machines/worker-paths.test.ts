import { expect, test } from "vitest";
import { type WorkerEvent, workerMachine } from "../../src/machines/worker-machine.js";
import { startListener, startWorker, stateName } from "../support/machine-actors.js";
import { pathsThrough } from "../support/machine-paths.js";
import { transitionName, uncovered } from "../support/machine-transitions.js";

const jobA = startListener([], "job a").actor;

/** What the scheduler, and each state's effect, can send a worker. */
const possible: Record<string, WorkerEvent[]> = {
  idle: [{ type: "worker.take", job: jobA, jobId: "a" }],
  starting: [
    { type: "target.started", index: 0, attempt: 1, first: true },
    { type: "target.started", index: 1, attempt: 2, first: false },
    { type: "target.faulted" },
    { type: "target.refused" },
    { type: "target.unstarted" },
  ],
  fetching: [
    { type: "fetch.settled", outcome: "over" },
    { type: "fetch.settled", outcome: "later" },
  ],
  storing: [{ type: "target.stored", failed: false, live: true }, { type: "target.unsaved" }],
  deferring: [{ type: "target.deferred", waitMs: 500, live: true }, { type: "target.unsaved" }],
};

test("R3: every path that the world can take a worker: each turn ends in idle, and its job hears of it once", () => {
  const seen = { states: new Set<string>(), transitions: new Set<string>() };
  const paths = pathsThrough<typeof workerMachine, WorkerEvent>(
    workerMachine,
    undefined,
    (state) => possible[stateName(state)] ?? [],
    ({ context }) => [context.index, context.attempt],
  );
  expect(paths.length).toBeGreaterThan(15);

  for (const path of paths) {
    const { run, job, said, state, transitions } = startWorker();
    let told = 0;
    let idle = 1;
    seen.states.add(state());
    for (const { event, state: expected } of path) {
      run(event.type === "worker.take" ? { ...event, job } : event);
      expect(state()).toBe(stateName(expected));
      if (event.type === "target.started" && event.first) told++;
      if (state() === "idle") {
        told++;
        idle++;
      }
      seen.states.add(state());
    }
    const effects = path.length - (idle - 1);
    const count = (start: string) => said.filter((line) => line.startsWith(start)).length;
    expect([count("job a <-"), count("announceIdle"), said.length]).toEqual([told, idle, told + idle + effects]);
    for (const { transition } of transitions) seen.transitions.add(transitionName(transition));
  }

  expect(uncovered(workerMachine, seen)).toEqual({ states: [], transitions: [] });
});
