import type { AnyActorRef } from "xstate";

/**
 * Keeps the timers of each actor together. As an actor ends, xstate looks through the timers of all for those that are its own,
 * which costs milliseconds a job where 10,000 others wait to be tried again.
 */
export function indexTimers({ scheduler }: AnyActorRef["system"]): void {
  // Another version of xstate may keep its timers elsewhere, and this only saves time.
  if (typeof scheduler?.schedule !== "function" || typeof scheduler.cancelAll !== "function") return;
  const idsOf = new WeakMap<AnyActorRef, Set<string>>();
  const { schedule, cancel } = scheduler;
  let unnamed = 0;

  scheduler.schedule = (source, target, event, delay, id = `unnamed-${unnamed++}`) => {
    const ids = idsOf.get(source);
    if (ids === undefined) idsOf.set(source, new Set([id]));
    else ids.add(id);
    schedule(source, target, event, delay, id);
  };
  scheduler.cancelAll = (actor) => {
    for (const id of idsOf.get(actor) ?? []) cancel(actor, id);
    idsOf.delete(actor);
  };
}
