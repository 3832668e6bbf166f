import { onTestFinished } from "vitest";
import { SimulatedClock } from "xstate";
import { type Caller, createBatchRunner, type LeftJob, type RunnerConfig } from "../../src/index.js";
import { heldFetch } from "../../src/testing/index.js";
import { recordHooks } from "./runner.js";
import { openStoreFile } from "./store-file.js";

/** A caller of whom nothing is known but the name. */
export const callerOf = (job: LeftJob): Caller => ({ name: job.caller });

/** Runners that follow one another on one store, each with its own held fetch and hooks, all with one clock. */
export async function succession(defaults: Partial<RunnerConfig> = {}) {
  const { store, raw } = await openStoreFile();
  const clock = new SimulatedClock();
  const start = async (config: Partial<RunnerConfig> = {}) => {
    const held = heldFetch({ ignoreAbort: true });
    const { hooks, lines } = recordHooks();
    let dies = false;
    const mortal = { ...store, leave: async () => (dies ? undefined : store.leave()) };
    const base = { store: mortal, clock, hooks, fetch: held.fetch, jobsPerCaller: 8, resume: callerOf };
    const runner = await createBatchRunner({ ...base, ...defaults, ...config });
    onTestFinished(() => stop());
    const submit = async (caller: string, ...urls: string[]) => {
      const targets = urls.map((url) => ({ url }));
      return (await runner.submit({ caller: { name: caller }, callerClass: "gold", targets })).id;
    };
    /** As if the process died: what was in flight writes nothing any more. */
    const stop = async () => {
      dies = true;
      const closed = runner.close({ timeoutMs: 1 });
      clock.increment(1);
      await closed;
    };
    return { runner, held, lines, submit, stop };
  };
  return { store, raw, clock, start };
}
