import type { MachineKind } from "../protocol.js";
import type { World } from "./world.js";

/** How many actors of a kind are in each state; a state that holds others counts theirs. Of jobs, the ended ones too. */
export function stateCounts(world: World, kind: MachineKind): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [path, count] of leafCounts(world, kind)) {
    for (const state of withAncestors([path])) counts.set(state, (counts.get(state) ?? 0) + count);
  }
  return counts;
}

/** The paths, and those of the states around them: `running.saving`, `running`. */
export function withAncestors(paths: readonly string[]): Set<string> {
  const all = new Set<string>();
  for (const path of paths) {
    const keys = path.split(".");
    for (let depth = keys.length; depth > 0; depth--) all.add(keys.slice(0, depth).join("."));
  }
  return all;
}

function leafCounts(world: World, kind: MachineKind): Iterable<[string, number]> {
  if (kind === "job") return Object.entries(world.jobStates);
  const counts = new Map<string, number>();
  for (const actor of world.staff.values()) {
    if (actor.kind !== kind) continue;
    for (const path of actor.active) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return counts;
}
