import { pino } from "pino";
import { BatchError } from "../errors.js";
import type { BatchRunner } from "../runner/batch-runner.js";
import { createBatchRunner } from "../runner/create-batch-runner.js";
import type { BatchStore, LeftJob } from "../store/batch-store.js";
import type { Caller } from "../target.js";
import { CommandError } from "./command-error.js";
import { type FileRun, say } from "./file-run.js";
import { observeStore } from "./observe-store.js";
import { DEFAULT_DB } from "./open-store.js";
import { printSummaries } from "./print-summaries.js";
import type { Input } from "./read-inputs.js";
import type { WorkOptions } from "./run-options.js";
import { BROKEN_PIPE, onStop } from "./stop-signals.js";
import { submitInputs } from "./submit-inputs.js";
import { takeUpJobs } from "./take-up-jobs.js";

/** How long a fetch may take no notice of being aborted before the process ends without it. */
const STOP_LIMIT_MS = 5_000;

/** A person's own files are no crowd to hold back, and what they ask for is theirs to keep until the TTL. */
const UNLIMITED = {
  jobsPerCaller: Number.MAX_SAFE_INTEGER,
  jobsTotal: Number.MAX_SAFE_INTEGER,
  targetsPerJob: Number.MAX_SAFE_INTEGER,
  maxBytes: Number.MAX_SAFE_INTEGER,
};

/** Runs each input as a job, and those of an earlier run that are to go on, until all are over, or the process is told to stop; resolves to the exit code. */
export async function runInputs(run: FileRun, inputs: readonly Input[]): Promise<number> {
  const left: LeftJob[] = [];
  const runner = await startRunner(run, inputs.length, left);
  let stopCode: number | undefined;
  const release = onStop((exitCode) => {
    stopCode = exitCode;
    if (exitCode !== BROKEN_PIPE) say(run, "stopping (once more to end at once)");
    void runner.close({ timeoutMs: STOP_LIMIT_MS });
  });
  // A fetch of the user's may wait for something that keeps no process alive.
  const alive = setInterval(() => {}, 60_000);
  try {
    const jobs = await submitInputs(run, runner, inputs, takeUpJobs(run, left));
    run.lines?.open();
    await runner.idle();
    await runner.close();
    await run.lines?.printed();
    run.display.stop();
    const nobodyReads = stopCode === BROKEN_PIPE;
    const statuses = await printSummaries(run, jobs, nobodyReads);
    const isAnyLeft = statuses.includes("queued") || statuses.includes("running");
    if (isAnyLeft && !nobodyReads) say(run, `to go on with what is left: ${resumeCommandLine(run.options)}`);
    return stopCode ?? (statuses.every((status) => status === "done") ? 0 : 1);
  } finally {
    await runner.close();
    clearInterval(alive);
    release();
  }
}

function resumeCommandLine({ db, fetch }: WorkOptions): string {
  const given = [db === DEFAULT_DB ? "" : ` --db ${db}`, fetch === undefined ? "" : ` --fetch ${fetch}`];
  return `fairbatch resume${given.join("")}`;
}

/** Resolves to a runner; where the jobs that an earlier run left are to go on it works on them already. `left` is told of them. */
async function startRunner(run: FileRun, inputs: number, left: LeftJob[]): Promise<BatchRunner<Caller, object>> {
  const { options, fetch, display, inspector } = run;
  const resume = (job: LeftJob) => {
    left.push(job);
    return options.resume ? { name: job.caller } : undefined;
  };
  const jobs = inputs + (options.resume ? (await run.store.left()).length : 0);
  const logger = pino({ level: "silent" }, { write: (line) => display.write(process.stderr, line) });
  try {
    const runner = await createBatchRunner<Caller, object>({
      store: observed(run),
      fetch,
      ...UNLIMITED,
      ttlMs: options.keep,
      // Those beyond the jobs would only cost.
      workers: Math.min(options.workers, Math.max(jobs, 1)),
      workersMax: options.workers,
      retryWaitMs: options.retryWait,
      retryForMs: options.retryFor,
      targetTimeoutMs: options.timeout,
      resume,
      ...(inspector === undefined ? {} : { inspect: inspector.inspect }),
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
