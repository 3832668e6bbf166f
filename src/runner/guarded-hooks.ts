import { callGuarded } from "../guard.js";
import type { Hooks } from "./batch-runner.js";

/** The user's hooks, each safe to call: what is absent, throws or rejects changes nothing. */
export function guardedHooks(hooks: Hooks | undefined): Required<Hooks> {
  return {
    job: (outcome) => callGuarded(() => hooks?.job?.(outcome)),
    target: (error, durationMs, resultBytes) => callGuarded(() => hooks?.target?.(error, durationMs, resultBytes)),
    jobSeconds: (seconds) => callGuarded(() => hooks?.jobSeconds?.(seconds)),
    depth: (live) => callGuarded(() => hooks?.depth?.(live)),
    inflight: (count) => callGuarded(() => hooks?.inflight?.(count)),
  };
}
