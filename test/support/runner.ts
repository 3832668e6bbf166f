import { onTestFinished } from "vitest";
import { SimulatedClock } from "xstate";
import {
  type BatchRunner,
  type BatchStore,
  createBatchRunner,
  type Hooks,
  type RunnerConfig,
} from "../../src/index.js";
import { ManualClock, openMemoryStore } from "../../src/testing/index.js";

/** Every hook call in order, as one line each: `job created`, `target ok 23`, `target nope`, `depth 1`, `inflight 0`, `jobSeconds`. */
export function recordHooks(): { hooks: Required<Hooks>; lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    hooks: {
      job: (outcome) => lines.push(`job ${outcome}`),
      target: (error, _durationMs, bytes) =>
        lines.push(error === undefined ? `target ok ${bytes}` : `target ${(error as Error)?.message}`),
      jobSeconds: () => lines.push("jobSeconds"),
      depth: (live) => lines.push(`depth ${live}`),
      inflight: (count) => lines.push(`inflight ${count}`),
    },
  };
}

export interface RunnerUnderTest {
  runner: BatchRunner;
  store: BatchStore;
  clock: SimulatedClock;
  lines: string[];
  /** Submits a job of these URLs for a caller and resolves to its id. */
  submit(caller: string, ...urls: string[]): Promise<string>;
}

/** A runner over a store in memory, with a simulated clock and recorded hooks; closed when the test ends. */
export async function startRunner(
  config: Partial<RunnerConfig> & Pick<RunnerConfig, "fetch">,
): Promise<RunnerUnderTest> {
  const store = config.store ?? (await openMemoryStore());
  const clock = new SimulatedClock();
  const { hooks, lines } = recordHooks();
  const runner = await createBatchRunner({ store, clock, hooks, jobsPerCaller: 8, ...config });
  onTestFinished(async () => {
    const closed = runner.close({ timeoutMs: 1 });
    clock.increment(1);
    await closed;
    if (config.store === undefined) await store.close();
  });
  const submit = async (caller: string, ...urls: string[]) => {
    const { id } = await runner.submit({
      caller: { name: caller },
      callerClass: "",
      targets: urls.map((url) => ({ url })),
    });
    return id;
  };
  return { runner, store, clock, lines, submit };
}

/** A runner as `startRunner` makes it, on a manual clock. */
export async function startOnManualClock(
  config: Partial<RunnerConfig> & Pick<RunnerConfig, "fetch">,
): Promise<Omit<RunnerUnderTest, "clock"> & { clock: ManualClock }> {
  const clock = new ManualClock();
  const started = await startRunner({ clock, ...config });
  onTestFinished(async () => {
    const closed = started.runner.close({ timeoutMs: 1 });
    clock.jump(1);
    await closed;
  });
  return { ...started, clock };
}
