import { expect, test } from "vitest";
import { type AnyActorRef, createActor, SimulatedClock, setup, stopChild } from "xstate";
import { indexTimers } from "../../src/runner/actor-timers.js";

const waiter = setup({ delays: { long: 200, short: 100 } }).createMachine({
  initial: "waiting",
  states: {
    waiting: { after: { short: "over", long: "over" }, on: { leave: "over" } },
    over: { type: "final" },
  },
});

function startWaiters(count: number) {
  const clock = new SimulatedClock();
  const drop = { type: "drop" as const, actor: undefined as unknown as AnyActorRef };
  const keeper = setup({
    types: { events: {} as typeof drop },
    actions: { stop: stopChild(({ event }) => event.actor) },
  }).createMachine({ on: { drop: { actions: "stop" } } });
  const root = createActor(keeper, { clock });
  indexTimers(root.system);
  root.start();
  const waiters = Array.from({ length: count }, (_, index) =>
    createActor(waiter, { id: `waiter-${index}`, parent: root }).start(),
  );
  const stop = (actor: AnyActorRef | undefined) => root.send({ ...drop, actor: actor as AnyActorRef });
  return { clock, root, waiters, stop };
}

/** How often somebody asks for all timers of a system. */
function countLooks(system: AnyActorRef["system"]): () => number {
  let looks = 0;
  const { _snapshot: snapshot } = system as unknown as { _snapshot: { _scheduledEvents: object } };
  snapshot._scheduledEvents = new Proxy(snapshot._scheduledEvents, {
    ownKeys(timers) {
      looks++;
      return Reflect.ownKeys(timers);
    },
  });
  return () => looks;
}

test("R2: an actor that ends or is stopped looks at no other's timers", () => {
  const { root, waiters, stop } = startWaiters(5);
  const looks = countLooks(root.system);

  waiters[0]?.send({ type: "leave" });
  stop(waiters[1]);

  expect(looks()).toBe(0);
});

test("an actor that is stopped takes all of its timers along, and nobody else's", () => {
  const { clock, root, waiters, stop } = startWaiters(3);

  stop(waiters[1]);
  const left = Object.keys(
    (root.system as unknown as { _snapshot: { _scheduledEvents: object } })._snapshot._scheduledEvents,
  ).length;
  clock.increment(100);

  expect({ left, states: waiters.map((each) => each.getSnapshot().value) }).toEqual({
    left: 4,
    states: ["over", "waiting", "over"],
  });
});

test("a timer without a name is cancelled with its actor as well", () => {
  const { clock, root, waiters } = startWaiters(1);
  const [actor] = waiters;
  if (actor === undefined) throw new Error("no actor");
  root.system.scheduler.schedule(actor, actor, { type: "leave" }, 10, undefined);

  root.system.scheduler.cancelAll(actor);
  clock.increment(500);

  expect(actor.getSnapshot().value).toBe("waiting");
});

test("a version of xstate that keeps its timers elsewhere is left as it is", () => {
  const scheduler = { somethingElse: () => {} };
  for (const system of [{ scheduler }, {}]) indexTimers(system as never);
  expect(Object.keys(scheduler)).toEqual(["somethingElse"]);
});
