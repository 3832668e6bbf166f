import type { AnyActorScope, AnyStateMachine } from "xstate";

type ActionExecutor = AnyActorScope["actionExecutor"];

const EXECUTOR = Symbol("the action executor that an actor began with");

/** What an actor's scope inherits: one accessor for all, since one of its own would make an object slow to read. */
class KeptExecutor {
  declare [EXECUTOR]: ActionExecutor;

  get actionExecutor(): ActionExecutor {
    return this[EXECUTOR];
  }

  set actionExecutor(_ofOneStep: ActionExecutor) {}
}

/**
 * Lets each actor of a machine run its actions through one function for as long as it lives. xstate puts another one in its place
 * for every step, to note that step's actions, which nobody reads of a running actor. V8 makes a function that is written where a
 * property is set an old object, at least until the code is optimized: each would hold what its step has made until the next full
 * collection.
 */
export function keepActionExecutor<M extends AnyStateMachine>(machine: M): M {
  const { getInitialSnapshot } = machine;
  machine.getInitialSnapshot = (scope, input) => {
    const { actionExecutor } = scope;
    // Another version of xstate may do without one, and this only saves memory.
    if (typeof actionExecutor === "function") {
      Reflect.deleteProperty(scope, "actionExecutor");
      Object.setPrototypeOf(Object.assign(scope, { [EXECUTOR]: actionExecutor }), KeptExecutor.prototype);
    }
    return getInitialSnapshot.call(machine, scope, input);
  };
  return machine;
}
