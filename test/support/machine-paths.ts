import type { AnyStateMachine, EventObject, SnapshotFrom } from "xstate";
import { getShortestPaths } from "xstate/graph";
import { stateName } from "./machine-actors.js";

/** A walk through a machine: each event, and the snapshot that its definition says it leads to. */
export type Path<M extends AnyStateMachine, E> = { event: E; state: SnapshotFrom<M> }[];

/**
 * Shortest walks from a machine's start, so many that each event that is possible in a state is taken there once: with every
 * `memory` of that state. Events of the machine's delays are possible wherever the delay runs.
 */
export function pathsThrough<M extends AnyStateMachine, E extends EventObject>(
  machine: M,
  input: unknown,
  possible: (state: SnapshotFrom<M>) => readonly E[],
  memory: (state: SnapshotFrom<M>) => unknown,
): Path<M, E>[] {
  const paths = getShortestPaths(machine as AnyStateMachine, {
    input: input as never,
    events: (state) => {
      const delays = state._nodes.flatMap((node: { after: { eventType: string }[] }) => node.after);
      return [...possible(state as SnapshotFrom<M>), ...delays.map(({ eventType }) => ({ type: eventType }))];
    },
    serializeState: (state, event, previous) =>
      JSON.stringify([
        stateName(state),
        memory(state as SnapshotFrom<M>),
        event,
        previous && [stateName(previous), memory(previous as SnapshotFrom<M>)],
      ]),
  });
  return paths.map(({ steps }) => steps.slice(1) as unknown as Path<M, E>);
}
