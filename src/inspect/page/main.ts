import type { MachineKind } from "../protocol.js";
import { ActorTree } from "./actor-tree.js";
import type { Choice } from "./choice.js";
import { type ConnectionState, connect } from "./connection.js";
import { Details } from "./details.js";
import { byId } from "./element.js";
import { EventStream } from "./event-stream.js";
import { makeExpandable } from "./expand.js";
import { Panels } from "./panels.js";
import { Rotation } from "./rotation.js";
import { Statechart } from "./statechart.js";
import { SteadyClock } from "./steady-clock.js";
import { subjectOf } from "./subject.js";
import { paintSummary } from "./summary.js";
import { Tabs } from "./tabs.js";
import { Timeline } from "./timeline.js";
import { World } from "./world.js";

const world = new World();
const clock = new SteadyClock();
let connection: ConnectionState = "connecting";
let choice: Choice | undefined;
let chartKind: MachineKind = "job";
let isPaintDue = false;

const chart = new Statechart(byId("chart"), repaint);
const chartTabs = new Tabs(byId("chart-tabs"), (name) => {
  chartKind = name as MachineKind;
  repaint();
});
const tree = new ActorTree(byId("tree"), choose);
const details = new Details();
const events = new EventStream(repaint);
const rotation = new Rotation(choose);
const timeline = new Timeline({ choose, now: () => clock.now() });
new Panels(repaint);
makeExpandable();
chartTabs.choose(chartKind);
byId("chart-in").addEventListener("click", () => chart.zoomBy(1));
byId("chart-out").addEventListener("click", () => chart.zoomBy(-1));
byId("chart-fit").addEventListener("click", () => chart.fit());

connect("stream", {
  hello(hello) {
    clock.set(hello.nowMs);
    world.greet(hello);
    repaint();
  },
  update(update) {
    clock.tell(update.nowMs);
    world.update(update);
    repaint();
  },
  state(state) {
    connection = state;
    clock.runs = state === "open";
    repaint();
  },
});

function choose(next: Choice): void {
  choice = next;
  const subject = subjectOf(world, next);
  if (subject !== undefined && subject.kind !== chartKind) chartTabs.choose(subject.kind);
  repaint();
}

/** However often it is asked for, once a frame. */
function repaint(): void {
  if (isPaintDue) return;
  isPaintDue = true;
  requestAnimationFrame(() => {
    isPaintDue = false;
    paint();
  });
}

function paint(): void {
  const nowMs = clock.now();
  const chosenJob = choice !== undefined && "jobId" in choice ? choice.jobId : undefined;
  paintSummary(world, connection, nowMs);
  tree.paint(world, choice);
  chart.paint(world, chartKind, choice && subjectOf(world, choice));
  details.paint(world, choice, nowMs);
  rotation.paint(world, chosenJob);
  events.paint(world, choice && world.actorIdOf(choice));
  timeline.paint(world, chosenJob);
}

// Times since something grow while nothing is told.
setInterval(repaint, 1_000);
