import type { ActorView } from "../protocol.js";
import { type Choice, choiceKey } from "./choice.js";
import { isLive, type World } from "./world.js";

export type GroupKey = "workers" | "live" | "ended";

interface Group {
  key: GroupKey;
  title: string;
  count: number;
  open: boolean;
}

/** A row of the tree as it is drawn, with what a screen reader needs to know of its place. */
export interface TreeRow {
  key: string;
  level: number;
  position: number;
  siblings: number;
  choice?: Choice;
  group?: Group;
}

interface Branch {
  choice?: Choice;
  group?: Group;
  children: readonly Branch[];
}

/** The scheduler, under it its workers and the live jobs in submit order; then the jobs that have ended, the newest first. */
export function treeRows(world: World, closed: ReadonlySet<GroupKey>): TreeRow[] {
  const group = (key: GroupKey, title: string, choices: readonly Choice[]): Branch => ({
    group: { key, title, count: choices.length, open: !closed.has(key) },
    children: closed.has(key) ? [] : choices.map((choice) => ({ choice, children: [] })),
  });
  const ofKind = (kind: ActorView["kind"]) => [...world.staff.values()].filter((actor) => actor.kind === kind);
  const choiceOf = ({ id }: ActorView): Choice => ({ actorId: id });
  const live = liveJobs(world);
  const ended = endedJobs(world);

  const runner = ofKind("scheduler").map((scheduler) => ({
    choice: choiceOf(scheduler),
    children: [group("workers", "Workers", ofKind("worker").map(choiceOf)), group("live", "Live jobs", live)],
  }));
  const withoutRunner = live.length === 0 ? [] : [group("live", "Live jobs", live)];
  return flatten([
    ...(runner.length === 0 ? withoutRunner : runner),
    ...(ended.length === 0 ? [] : [group("ended", "Ended jobs", ended)]),
  ]);
}

function flatten(branches: readonly Branch[], level = 1): TreeRow[] {
  return branches.flatMap(({ children, ...branch }, index) => [
    { key: keyOf(branch), level, position: index + 1, siblings: branches.length, ...branch },
    ...flatten(children, level + 1),
  ]);
}

function keyOf({ choice, group }: Omit<Branch, "children">): string {
  return choice === undefined ? `group:${group?.key}` : choiceKey(choice);
}

function liveJobs(world: World): Choice[] {
  const ids = new Set<string>();
  for (const actor of world.actors.values()) {
    if (actor.kind === "job" && actor.jobId !== undefined) ids.add(actor.jobId);
  }
  for (const job of world.jobs.values()) if (isLive(job)) ids.add(job.id);
  return [...ids].map((jobId) => ({ jobId }));
}

function endedJobs(world: World): Choice[] {
  const ended: Choice[] = [];
  for (const job of world.jobs.values()) {
    if (!isLive(job) && world.jobActor(job.id) === undefined) ended.push({ jobId: job.id });
  }
  return ended.reverse();
}
