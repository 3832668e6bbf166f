import { describe, expect, test } from "vitest";
import { createMachine, initialTransition, transition } from "xstate";
import { machineView, machineViews } from "../../src/inspect/machine-view.js";
import type { MachineView, StateView } from "../../src/inspect/protocol.js";
import { leafPaths, pathOf } from "../../src/inspect/state-path.js";
import { jobMachine } from "../../src/machines/index.js";

function pathsWithin({ path, states }: StateView): string[] {
  return [path, ...states.flatMap(pathsWithin)];
}

function from(view: MachineView, path: string) {
  return view.transitions.filter((arrow) => arrow.from === path).map(({ from: _, ...arrow }) => arrow);
}

test("inspector: the worker is drawn with its states, what they do on entry, and its arrows with guards and actions", () => {
  const { worker } = machineViews();
  const state = (key: string, ...entry: string[]) => ({ path: key, key, type: "atomic", entry, states: [] });
  expect(worker.root).toEqual({
    ...{ path: "", key: "worker", type: "compound", initial: "idle", entry: [] },
    states: [
      state("idle", "announceIdle", "endTurn"),
      state("starting", "startTarget"),
      state("fetching", "fetchTarget"),
      state("storing", "askForTurn", "storeTarget"),
      state("deferring", "deferTarget"),
    ],
  });
  expect(from(worker, "fetching")).toEqual([
    { to: "deferring", event: "fetch.settled", guard: "isRetryLater", actions: [] },
    { to: "storing", event: "fetch.settled", actions: [] },
  ]);
});

test("inspector: delays, transitions at once, final states, and those that stay where they are are drawn as such", () => {
  const { job, scheduler } = machineViews();
  expect(from(job, "entering")).toEqual([
    { to: "running.waiting", event: "always", guard: "wasWaiting", actions: [] },
    { to: "running.ready", event: "always", guard: "wasRunning", actions: [] },
    { to: "queued", event: "always", actions: [] },
  ]);
  expect(from(job, "running.waiting")).toContainEqual({ to: "running.ready", event: "after wait", actions: [] });
  expect(from(scheduler, "open")).toContainEqual({ event: "job.left", actions: ["leaveRotation"] });
  expect(job.root.states.filter(({ type }) => type === "final").map(({ key }) => key)).toEqual([
    "done",
    "partial",
    "failed",
    "cancelled",
  ]);
});

describe.each(Object.entries(machineViews()))("of the %s", (_kind, view) => {
  test("inspector: every arrow begins and ends at a state that is drawn", () => {
    const paths = pathsWithin(view.root);
    const ends = view.transitions.flatMap((arrow) => [arrow.from, arrow.to ?? arrow.from]);
    expect(ends.filter((path) => !paths.includes(path))).toEqual([]);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test("inspector: it is plain JSON", () => {
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  });
});

test("inspector: the path of a job's state is that of a state which is drawn", () => {
  const paths = pathsWithin(machineViews().job.root);
  const input = { jobId: "a", place: 0, targetsTotal: 2, retryWaitMs: 1 };
  let [snapshot] = initialTransition(jobMachine, input);
  const seen = [pathOf(snapshot.value)];
  for (const type of ["target.taken", "target.started", "target.unsaved", "job.cancel"] as const) {
    [snapshot] = transition(jobMachine, snapshot, { type });
    seen.push(pathOf(snapshot.value));
  }
  expect(seen).toEqual([
    "queued.ready",
    "queued.starting",
    "running.inFlight",
    "running.saving.pausing",
    "draining.saving.pausing",
  ]);
  expect(seen.filter((path) => !paths.includes(path))).toEqual([]);
});

test("inspector: a machine of any other shape can be drawn too", () => {
  const view = machineView(
    "job",
    createMachine({
      id: "any",
      type: "parallel",
      states: { a: { initial: "b", states: { b: { on: { go: "#any.a.c" } }, c: {} } }, d: { entry: () => {} } },
    }),
  );
  expect(view.root).toMatchObject({ type: "parallel", states: [{ path: "a", initial: "b" }, { path: "d" }] });
  expect(view.transitions).toEqual([{ from: "a.b", to: "a.c", event: "go", actions: [] }]);
  const value = { a: "b", d: {} };
  expect([leafPaths(value), pathOf(value)]).toEqual([["a.b", "d"], "a.b d"]);
});
