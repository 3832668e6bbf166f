import { inspect } from "node:util";
import { readGuarded } from "../guard.js";
import type { FetchFunc } from "../runner/batch-runner.js";
import { kindOf } from "../runner/thrown.js";
import type { Caller } from "../target.js";

/** A fetch of the user's own, whose first bug is told with its stack: a runner says `internal error` and no more (R3). */
export function tellingBugs(
  fetch: FetchFunc<Caller, object>,
  tell: (stack: string) => void,
): FetchFunc<Caller, object> {
  let told = false;
  return async (target, context) => {
    try {
      return await fetch(target, context);
    } catch (thrown) {
      if (!told && !context.signal.aborted && kindOf(thrown) === "fault") {
        told = true;
        tell(readGuarded(() => inspect(thrown)) ?? "something that cannot be shown was thrown");
      }
      throw thrown;
    }
  };
}
