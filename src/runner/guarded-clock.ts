import { type Clock, systemClock } from "../clock.js";
import { callGuarded, readGuarded, withoutRejection } from "./guard.js";

/** A clock that always answers: where the given one throws or gives no number, the system's stands in. */
export function guardedClock(clock: Clock | undefined): Required<Clock> {
  if (clock === undefined) return systemClock;
  const now = () => finite(readGuarded(() => withoutRejection(clock.now()))) ?? systemClock.now();
  const monotonic = () =>
    finite(readGuarded(() => withoutRejection((clock.monotonic ?? clock.now).call(clock)))) ?? systemClock.monotonic();
  const standIns = new Set<unknown>();
  return {
    now,
    monotonic,
    setTimeout(fn, ms) {
      try {
        return withoutRejection(clock.setTimeout(fn, ms));
      } catch {
        const id = systemClock.setTimeout(() => {
          standIns.delete(id);
          fn();
        }, ms);
        standIns.add(id);
        return id;
      }
    },
    clearTimeout(id) {
      if (standIns.delete(id)) systemClock.clearTimeout(id);
      else callGuarded(() => clock.clearTimeout(id));
    },
  };
}

function finite(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
