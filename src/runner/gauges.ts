import { createStore } from "@xstate/store";
import type { GaugeContext, Gauges, Hooks } from "./batch-runner.js";
import { callGuarded } from "./guard.js";

/** The two gauges (R7): each change is published, then told to its hook. */
export interface GaugeKeeper {
  readonly gauges: Gauges;
  addLive(change: 1 | -1): void;
  addInflight(change: 1 | -1): void;
}

export function keepGauges(hooks: Required<Hooks>): GaugeKeeper {
  const gauges = guardSubscribers(
    createStore({
      context: { live: 0, inflight: 0 } as GaugeContext,
      on: { changed: (context, event: Partial<GaugeContext>) => ({ ...context, ...event }) },
    }) as Gauges,
  );
  const publish = (change: Partial<GaugeContext>) => callGuarded(() => gauges.send({ type: "changed", ...change }));
  return {
    gauges,
    addLive(change) {
      const live = gauges.getSnapshot().context.live + change;
      publish({ live });
      hooks.depth(live);
    },
    addInflight(change) {
      const inflight = gauges.getSnapshot().context.inflight + change;
      publish({ inflight });
      hooks.inflight(inflight);
    },
  };
}

/** A subscriber that throws would keep the later ones from being told. */
function guardSubscribers(gauges: Gauges): Gauges {
  const subscribe = gauges.subscribe as (observer: unknown) => { unsubscribe(): void };
  const guarded = (observer: ((value: unknown) => unknown) | { next?(value: unknown): unknown }) =>
    subscribe((value: unknown) =>
      callGuarded(() => (typeof observer === "function" ? observer(value) : observer.next?.(value))),
    );
  gauges.subscribe = guarded as Gauges["subscribe"];
  return gauges;
}
