import type { AnyStateMachine, AnyStateNode } from "xstate";
import { jobMachine } from "../machines/job-machine.js";
import { schedulerMachine } from "../machines/scheduler-machine.js";
import { workerMachine } from "../machines/worker-machine.js";
import type { MachineKind, MachineView, StateView, TransitionView } from "./protocol.js";

/** The machines of a runner, by their ids. */
const MACHINES: Record<MachineKind, AnyStateMachine> = {
  scheduler: schedulerMachine,
  worker: workerMachine,
  job: jobMachine,
};

export function isMachineKind(id: unknown): id is MachineKind {
  return typeof id === "string" && Object.hasOwn(MACHINES, id);
}

export function machineViews(): Record<MachineKind, MachineView> {
  return {
    scheduler: machineView("scheduler", MACHINES.scheduler),
    worker: machineView("worker", MACHINES.worker),
    job: machineView("job", MACHINES.job),
  };
}

/** A machine as plain JSON, read off its definition. */
export function machineView(kind: MachineKind, { root }: AnyStateMachine): MachineView {
  return { kind, root: stateView(root), transitions: nodesWithin(root).flatMap(transitionsFrom) };
}

function stateView(node: AnyStateNode): StateView {
  const initial = node.initial?.target?.[0]?.key;
  return {
    path: node.path.join("."),
    key: node.key,
    type: node.type,
    ...(initial === undefined ? {} : { initial }),
    entry: node.entry.map(nameOf).filter((name) => !name.startsWith("xstate.")),
    states: Object.values(node.states).map((state) => stateView(state as AnyStateNode)),
  };
}

function nodesWithin(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap((state) => nodesWithin(state as AnyStateNode))];
}

function transitionsFrom(node: AnyStateNode): TransitionView[] {
  const delays = new Map(node.after.map(({ eventType, delay }) => [eventType as string, delay]));
  const onEvents = [...node.transitions].flatMap(([type, branches]) =>
    branches.map((branch) => ({ branch, event: delays.has(type) ? `after ${delays.get(type)}` : type })),
  );
  const atOnce = (node.always ?? []).map((branch) => ({ branch, event: "always" }));
  return [...onEvents, ...atOnce].map(({ branch, event }) => {
    const to = branch.target?.[0]?.path.join(".");
    return {
      from: node.path.join("."),
      ...(to === undefined ? {} : { to }),
      event,
      ...(branch.guard === undefined ? {} : { guard: nameOf(branch.guard) }),
      actions: branch.actions.map(nameOf),
    };
  });
}

/** Of an action or a guard, which may be a name, an object with one as its type, or a function. */
function nameOf(reference: unknown): string {
  if (typeof reference === "string") return reference;
  if (typeof reference === "function") return ("type" in reference && String(reference.type)) || reference.name;
  return String((reference as { type?: unknown } | null)?.type);
}
