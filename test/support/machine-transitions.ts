import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";

/** A state and all states within it. */
export function statesWithin(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap((nested) => statesWithin(nested as AnyStateNode))];
}

/** Every transition that the machine's definition holds, delayed ones too, by name. */
export function transitionsOf(machine: AnyStateMachine): string[] {
  return statesWithin(machine.root).flatMap((node) =>
    [...node.transitions.values(), node.always ?? []].flat().map(transitionName),
  );
}

/** `running: target.deferred [wasCancelled] -> cancelled`; one that stays in its state has no target. */
export function transitionName({ source, eventType, guard, target }: AnyTransitionDefinition): string {
  const condition =
    guard === undefined ? "" : ` [${typeof guard === "string" ? guard : (guard as { type: string }).type}]`;
  const to = target === undefined ? "" : ` -> ${target.map((node) => node.path.join(".")).join(", ")}`;
  return `${source.path.join(".")}: ${eventType}${condition}${to}`;
}

/** The innermost states and the transitions of a machine that were never seen; prints how many were. */
export function uncovered(machine: AnyStateMachine, seen: { states: Set<string>; transitions: Set<string> }) {
  // What is left at once is no state that anything can be seen in; its transitions are.
  const inner = statesWithin(machine.root).filter(
    ({ type, always }) => (type === "atomic" || type === "final") && always === undefined,
  );
  const states = inner.map(({ path }) => path.join("."));
  const transitions = transitionsOf(machine);
  const missing = {
    states: states.filter((name) => !seen.states.has(name)),
    transitions: transitions.filter((name) => !seen.transitions.has(name)),
  };
  const reached = (all: string[], left: string[]) => `${all.length - left.length} of ${all.length}`;
  console.info(
    `${machine.id}: ${reached(states, missing.states)} states, ${reached(transitions, missing.transitions)} transitions`,
  );
  return missing;
}
