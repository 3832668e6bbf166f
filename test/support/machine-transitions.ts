import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";

/** A state and all states within it. */
export function statesWithin(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap((nested) => statesWithin(nested as AnyStateNode))];
}

/** Every transition that the machine's definition holds, delayed ones too, by name. */
export function transitionsOf(machine: AnyStateMachine): string[] {
  return statesWithin(machine.root).flatMap((node) => [...node.transitions.values()].flat().map(transitionName));
}

/** `running: target.deferred [wasCancelled] -> cancelled`; one that stays in its state has no target. */
export function transitionName({ source, eventType, guard, target }: AnyTransitionDefinition): string {
  const condition =
    guard === undefined ? "" : ` [${typeof guard === "string" ? guard : (guard as { type: string }).type}]`;
  const to = target === undefined ? "" : ` -> ${target.map((node) => node.path.join(".")).join(", ")}`;
  return `${source.path.join(".")}: ${eventType}${condition}${to}`;
}
