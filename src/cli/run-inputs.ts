import { pino } from "pino";
import { BatchError } from "../errors.js";
import type { BatchRunner } from "../runner/batch-runner.js";
import { createBatchRunner } from "../runner/create-batch-runner.js";
import type { BatchStore } from "../store/batch-store.js";
import type { Caller } from "../target.js";
import { CommandError } from "./command-error.js";
import { type FileRun, say } from "./file-run.js";
import { observeStore } from "./observe-store.js";
import { printSummaries } from "./print-summaries.js";
import type { Input } from "./read-inputs.js";
import { BROKEN_PIPE, onStop } from "./stop-signals.js";
import { submitInputs } from "./submit-inputs.js";

/** How long a fetch may take no notice of being aborted before the process ends without it. */
const STOP_LIMIT_MS = 5_000;

/** Runs each input as a job until all are over, or the process is told to stop; resolves to the exit code. */
export async function runInputs(run: FileRun, inputs: readonly Input[]): Promise<number> {
  const runner = await startRunner(run, inputs);
  let stopCode: number | undefined;
  const release = onStop((exitCode) => {
    stopCode = exitCode;
    if (exitCode !== BROKEN_PIPE) say(run, "stopping (once more to end at once)");
    void runner.close({ timeoutMs: STOP_LIMIT_MS });
  });
  // A fetch of the user's may wait for something that keeps no process alive.
  const alive = setInterval(() => {}, 60_000);
  try {
    const jobs = await submitInputs(run, runner, inputs);
    run.lines?.open();
    await runner.idle();
    await runner.close();
    await run.lines?.printed();
    run.display.stop();
    const allDone = await printSummaries(run, jobs, stopCode === BROKEN_PIPE);
    return stopCode ?? (allDone ? 0 : 1);
  } finally {
    await runner.close();
    clearInterval(alive);
    release();
  }
}

async function startRunner(run: FileRun, inputs: readonly Input[]): Promise<BatchRunner<Caller, object>> {
  const { options, fetch, display } = run;
  const logger = pino({ level: "silent" }, { write: (line) => display.write(process.stderr, line) });
  try {
    const runner = await createBatchRunner<Caller, object>({
      store: observed(run),
      fetch,
      ...limits(inputs),
      workers: options.workers,
      workersMax: options.workers,
      retryWaitMs: options.retryWait,
      retryForMs: options.retryFor,
      targetTimeoutMs: options.timeout,
      logger,
    });
    // Only now: the jobs that an earlier run left unfinished are no news of this one.
    logger.level = options.logLevel;
    return runner;
  } catch (error) {
    if (!(error instanceof BatchError && error.code === "ERR_STORE_IN_USE")) throw error;
    throw new CommandError(`${options.db}: another runner works on it; wait for it, or give another --db`);
  }
}

function observed({ store, board, lines }: FileRun): BatchStore {
  return observeStore(store, {
    targetStarted: (id) => board.targetStarted(id),
    targetDeferred: (id) => board.targetDeferred(id),
    targetStored: (id, outcome) => {
      board.targetStored(id, outcome);
      lines?.stored(id, outcome.index);
    },
    jobEnded: (id, status) => board.jobEnded(id, status),
  });
}

/** A person's own files are no crowd to hold back, and what they ask for is theirs to keep until the TTL. */
function limits(inputs: readonly Input[]) {
  return {
    jobsPerCaller: inputs.length,
    jobsTotal: inputs.length,
    targetsPerJob: inputs.reduce((most, { targets }) => Math.max(most, targets.length), 1),
    maxBytes: Number.MAX_SAFE_INTEGER,
  };
}
