import { onTestFinished } from "vitest";
import { SimulatedClock } from "xstate";
import {
  type BatchRunner,
  type BatchStore,
  createBatchRunner,
  type Hooks,
  type Job,
  openSqliteStore,
  type RunnerConfig,
} from "../../src/index.js";

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
  const store = config.store ?? (await openSqliteStore(":memory:"));
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

/** Resolves to the job once it is done, partial, failed or cancelled. */
export async function untilTerminal(runner: BatchRunner, id: string): Promise<Job | undefined> {
  let last: Job | undefined;
  for await (const job of runner.watch(id)) last = job;
  return last;
}

/** Lets everything that can happen without a timer happen: several turns of the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}
