import type { FetchFunc } from "../runner/batch-runner.js";
import type { Caller } from "../target.js";
import type { FileRun } from "./file-run.js";
import { httpFetch } from "./http-fetch.js";
import { JobBoard } from "./job-board.js";
import { loadFetch } from "./load-fetch.js";
import { openStore } from "./open-store.js";
import { noProgress, showProgress } from "./progress-display.js";
import { type Input, readInputs } from "./read-inputs.js";
import { ResultLines } from "./result-lines.js";
import { runInputs } from "./run-inputs.js";
import type { RunOptions } from "./run-options.js";
import { anyUrlProblem, httpUrlProblem } from "./target-lines.js";

const HTTP_TIMEOUT_MS = 60_000;

/** `fairbatch run`: each file is one job. All input is checked before anything is stored. */
export async function runCommand(files: readonly string[], options: RunOptions): Promise<number> {
  if (options.fetch !== undefined) {
    const fetch = await loadFetch(options.fetch);
    return run(await readInputs(files, anyUrlProblem), fetch, { timeout: 0, ...options });
  }
  const fetch = httpFetch({ maxBodyBytes: options.maxBody });
  return run(await readInputs(files, httpUrlProblem), fetch, { timeout: HTTP_TIMEOUT_MS, ...options });
}

async function run(
  inputs: readonly Input[],
  fetch: FetchFunc<Caller, object>,
  options: RunOptions & { timeout: number },
): Promise<number> {
  const store = await openStore(options.db);
  const board = new JobBoard();
  const display = options.quiet ? noProgress : showProgress(() => board.progress(), process.stderr);
  const writeLine = (line: string) => display.write(process.stdout, line);
  const lines = options.json ? new ResultLines(store, writeLine) : undefined;
  const fileRun: FileRun = { options, fetch, store, board, display, lines };
  try {
    return await runInputs(fileRun, inputs);
  } finally {
    display.stop();
    await store.close();
  }
}
