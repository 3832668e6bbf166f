import type { ElkNode } from "elkjs/lib/elk-api.js";
import { expect, test } from "vitest";
import { machineViews } from "../../src/inspect/machine-view.js";
import { chartGraph, pathOfId } from "../../src/inspect/page/chart-graph.js";
import { stateCounts } from "../../src/inspect/page/state-counts.js";
import { World } from "../../src/inspect/page/world.js";
import type { MachineView, StateView } from "../../src/inspect/protocol.js";
import { runnerActors } from "./views.js";

const { job, scheduler, worker } = machineViews() as Record<string, MachineView>;
const measure = (text: string) => text.length * 6;

function nested({ id, children = [] }: ElkNode): unknown {
  return children.length === 0 ? id : { [id]: children.map(nested) };
}

function arrows(machine: MachineView): string[] {
  return (chartGraph(machine, measure).edges ?? []).map(
    ({ sources, targets, labels = [] }) =>
      `${sources[0]} > ${targets[0]}: ${labels.map(({ text }) => text).join(" | ")}`,
  );
}

test.each([job, scheduler, worker])(
  "every state and every transition of the $kind machine is on its chart",
  (machine) => {
    if (machine === undefined) throw new Error("no such machine");
    const paths = (state: StateView): string[] => [state.path, ...state.states.flatMap(paths)];
    const drawn = (node: ElkNode): string[] => [node.id, ...(node.children ?? []).flatMap(drawn)];
    const { states } = machine.root;
    expect(
      drawn(chartGraph(machine, measure))
        .filter((id) => id.startsWith("state:"))
        .map(pathOfId),
    ).toEqual(states.flatMap(paths));

    const labels = arrows(machine).join("\n");
    for (const { event, guard, from, to } of machine.transitions.filter(({ to }) => to !== undefined)) {
      expect(labels).toContain(`state:${from} > state:${to}: `);
      expect(labels).toContain(guard === undefined ? event : `${event} [${guard}]`);
    }
  },
);

test("states lie in those that hold them, with a dot for each initial one", () => {
  const root = nested(chartGraph(job as MachineView, measure)) as { chart: unknown[] };
  expect(root.chart.at(3)).toEqual({
    "state:draining": [
      "state:draining.inFlight",
      {
        "state:draining.saving": [
          "state:draining.saving.pausing",
          "state:draining.saving.writing",
          "initial:draining.saving",
        ],
      },
      "initial:draining",
    ],
  });
});

test("transitions between the same two states share an arrow; those that stay are told inside of the box", () => {
  expect(arrows(worker as MachineView)).toContain("state:storing > state:idle: target.stored | target.unsaved");
  const open = chartGraph(scheduler as MachineView, measure).children?.[0];
  expect(open).toMatchObject({ id: "state:open", height: 28 + 8 * 13 + 8 });
});

test("a state's number counts those within it, and of workers those who live", () => {
  const world = new World();
  const actors = runnerActors(3).map((actor, index) => (index === 3 ? { ...actor, active: ["fetching"] } : actor));
  world.greet({
    source: "runner",
    machines: {},
    nowMs: 0,
    actors,
    jobStates: { "running.saving.writing": 2, "running.ready": 1 },
  });

  expect(Object.fromEntries(stateCounts(world, "job"))).toEqual({
    running: 3,
    "running.saving": 2,
    "running.saving.writing": 2,
    "running.ready": 1,
  });
  expect(Object.fromEntries(stateCounts(world, "worker"))).toEqual({ idle: 2, fetching: 1 });
});
