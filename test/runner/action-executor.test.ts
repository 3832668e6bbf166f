import { expect, test } from "vitest";
import { type AnyActor, createActor, type InspectionEvent, sendTo, setup } from "xstate";
import { keepActionExecutor } from "../../src/runner/action-executor.js";

/** A parent that is told of each step by its child; `did` says what ran, in order, and through which function. */
function startFamily() {
  const did: { action: string; executor: unknown }[] = [];
  const inspected: string[] = [];
  const note =
    (action: string) =>
    ({ self }: { self: unknown }) =>
      void did.push({ action, executor: executorOf(self as AnyActor) });
  const child = setup({
    actions: {
      leave: note("leave"),
      enter: note("enter"),
      tell: sendTo(({ self }) => self._parent as AnyActor, { type: "told" }),
    },
  }).createMachine({
    initial: "one",
    states: {
      one: { exit: "leave", on: { step: "two" } },
      two: { entry: ["enter", "tell"], on: { step: "one" } },
    },
  });
  const parent = setup({
    actors: { child: keepActionExecutor(child) },
    actions: { hear: note("hear"), begin: note("begin") },
  }).createMachine({ invoke: { src: "child", id: "child" }, entry: "begin", on: { told: { actions: "hear" } } });
  const root = createActor(keepActionExecutor(parent), {
    inspect: (event: InspectionEvent) => {
      if (event.type === "@xstate.action") inspected.push(event.action.type);
    },
  });
  root.start();
  return { did, inspected, root, child: root.getSnapshot().children.child as AnyActor };
}

function executorOf(actor: AnyActor): unknown {
  return (actor as unknown as { _actorScope: { actionExecutor: unknown } })._actorScope.actionExecutor;
}

test("an actor runs its actions in order, at its start and in each step, and an inspector is told of them", () => {
  const { did, inspected, child } = startFamily();
  child.send({ type: "step" });
  child.send({ type: "step" });

  expect(did.map(({ action }) => action)).toEqual(["begin", "leave", "enter", "hear"]);
  expect(inspected).toEqual(expect.arrayContaining(["begin", "leave", "enter", "xstate.sendTo", "hear"]));
});

test("within a step it runs them through the same function as ever, which holds nothing of that step", () => {
  const { did, root, child } = startFamily();
  child.send({ type: "step" });

  const [parents, childs] = [executorOf(root), executorOf(child)];
  expect(did.map(({ executor }) => executor)).toEqual([parents, childs, childs, parents]);
});

test("a version of xstate whose actors have no such function is left as it is", () => {
  const machine = { getInitialSnapshot: (scope: object) => scope };
  keepActionExecutor(machine as never);
  const scope = { other: 1 };
  expect(machine.getInitialSnapshot(scope)).toBe(scope);
  expect([Object.keys(scope), Object.getPrototypeOf(scope)]).toEqual([["other"], Object.prototype]);
});
