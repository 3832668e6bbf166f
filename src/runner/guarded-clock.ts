import { type Clock, systemClock } from "../clock.js";
import { callGuarded, readGuarded, withoutRejection } from "../guard.js";
import { steadyTime } from "./steady-time.js";

/** A clock that always answers: where the given one throws or gives no number, the system's stands in. */
export function guardedClock(clock: Clock | undefined): Required<Clock> {
  if (clock === undefined) return systemClock;
  const now = () => sane(readGuarded(() => withoutRejection(clock.now()))) ?? systemClock.now();
  const monotonic = steadyTime(
    () => sane(readGuarded(() => withoutRejection((clock.monotonic ?? clock.now).call(clock)))),
    systemClock.monotonic,
  );
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

/** Beyond the safe integers a millisecond more or less makes no difference, and no duration could be added. */
function sane(value: unknown): number | undefined {
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
