import { createStore } from "@xstate/store";
import { callGuarded, readGuarded, withoutRejection } from "../guard.js";
import type { GaugeContext, Gauges, Hooks } from "./batch-runner.js";

/** The two gauges (R7): each change is published, then told to its hook. */
export interface GaugeKeeper {
  readonly gauges: Gauges;
  addLive(change: 1 | -1): void;
  addInflight(change: 1 | -1): void;
}

export function keepGauges(hooks: Required<Hooks>): GaugeKeeper {
  const gauges: Gauges = createStore({
    context: { live: 0, inflight: 0 } as GaugeContext,
    on: {
      changed: (context, { live, inflight }: Partial<GaugeContext>) => ({
        live: live ?? context.live,
        inflight: inflight ?? context.inflight,
      }),
    },
  });
  guardReaders(gauges);
  const publish = (change: Partial<GaugeContext>) => callGuarded(() => gauges.send({ type: "changed", ...change }));
  // Counted here, since whoever reads the store can also write to it.
  let live = 0;
  let inflight = 0;
  return {
    gauges,
    addLive(change) {
      live += change;
      publish({ live });
      hooks.depth(live);
    },
    addInflight(change) {
      inflight += change;
      publish({ inflight });
      hooks.inflight(inflight);
    },
  };
}

/** A subscriber, inspector, selector or comparison that throws would keep the later ones from being told. */
function guardReaders(gauges: Gauges): void {
  guardObservers(gauges, "subscribe");
  guardObservers(gauges, "inspect");
  const { select } = gauges;
  gauges.select = (selector, equals) => {
    const guarded = ((context) => readGuarded(() => withoutRejection(selector(context)))) as typeof selector;
    const selection = select(guarded, equals && ((one, other) => readGuarded(() => equals(one, other)) === true));
    guardObservers(selection, "subscribe");
    dropUnwatched(selection);
    return selection;
  };
}

/** The store keeps a selection that was read, and works it out at each change, until its last subscriber leaves: there may be none. */
function dropUnwatched(selection: { get(): unknown; subscribe(observer: () => void): { unsubscribe(): void } }): void {
  const { get } = selection;
  let dropping = false;
  selection.get = () => {
    const value = get();
    // Subscribing reads as well.
    if (dropping) return value;
    dropping = true;
    selection.subscribe(() => {}).unsubscribe();
    dropping = false;
    return value;
  };
}

type Observer<T> = ((value: T) => unknown) | { next?: ((value: T) => unknown) | undefined };

function guardObservers<M extends "subscribe" | "inspect", T>(
  readable: Record<M, (observer: never) => unknown>,
  method: M,
): void {
  const observe = readable[method] as (observer: (value: T) => void) => unknown;
  readable[method] = (observer: Observer<T>) =>
    observe((value) => callGuarded(() => (typeof observer === "function" ? observer(value) : observer.next?.(value))));
}
