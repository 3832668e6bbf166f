import { createLocalInspector } from "../inspect/local-inspector.js";
import type { FetchFunc } from "../runner/batch-runner.js";
import type { BatchStore } from "../store/batch-store.js";
import type { Caller } from "../target.js";
import type { FileRun } from "./file-run.js";
import { httpFetch } from "./http-fetch.js";
import { inspectorAddress, listening } from "./inspect-options.js";
import { JobBoard } from "./job-board.js";
import { loadFetch } from "./load-fetch.js";
import { openStore, withExistingStore } from "./open-store.js";
import { printableLines } from "./printable.js";
import { noProgress, showProgress } from "./progress-display.js";
import { type Input, readInputs } from "./read-inputs.js";
import { ResultLines } from "./result-lines.js";
import { runInputs } from "./run-inputs.js";
import type { RunOptions, WorkOptions } from "./run-options.js";
import { anyUrlProblem, httpUrlProblem } from "./target-lines.js";
import { tellingBugs } from "./telling-bugs.js";

const HTTP_TIMEOUT_MS = 60_000;

/** `fairbatch run`: each file is one job. All input is checked before anything is stored. */
export async function runCommand(files: readonly string[], options: RunOptions): Promise<number> {
  const { fetch, timeout, urlProblem } = await fetchOf(options);
  const inputs = await readInputs(files, urlProblem);
  const store = await openStore(options.db);
  return run(store, inputs, fetch, { ...options, timeout }).finally(() => store.close());
}

/** `fairbatch resume`: goes on with every job in the store that an earlier run left live. */
export async function resumeCommand(options: WorkOptions): Promise<number> {
  const { fetch, timeout } = await fetchOf(options);
  return withExistingStore(options.db, (store) =>
    run(store, [], fetch, { ...options, timeout, caller: "", resume: true }),
  );
}

async function fetchOf({ fetch: path, timeout, maxBody }: WorkOptions) {
  if (path !== undefined) return { fetch: await loadFetch(path), timeout: timeout ?? 0, urlProblem: anyUrlProblem };
  const fetch = httpFetch({ maxBodyBytes: maxBody });
  return { fetch, timeout: timeout ?? HTTP_TIMEOUT_MS, urlProblem: httpUrlProblem };
}

async function run(
  store: BatchStore,
  inputs: readonly Input[],
  fetch: FetchFunc<Caller, object>,
  options: FileRun["options"],
): Promise<number> {
  const board = new JobBoard();
  const display = options.quiet ? noProgress : showProgress(() => board.progress(), process.stderr);
  const writeLine = (line: string) => display.write(process.stdout, line);
  const lines = options.json ? new ResultLines(store, writeLine) : undefined;
  const inspector = wantsInspector(options) ? createLocalInspector({ store, ...inspectorAddress(options) }) : undefined;
  const tellBug = (stack: string) => display.write(process.stderr, `${options.fetch}: ${printableLines(stack)}\n`);
  const tellingFetch = options.fetch === undefined ? fetch : tellingBugs(fetch, tellBug);
  const fileRun: FileRun = { options, fetch: tellingFetch, store, board, display, lines, inspector };
  try {
    if (inspector !== undefined) {
      display.write(process.stderr, `inspector: ${await listening(inspector, options)}\n`);
    }
    return await runInputs(fileRun, inputs);
  } finally {
    display.stop();
    await inspector?.close();
  }
}

/** Whoever says where it is to be wants it. */
function wantsInspector({ inspect, inspectPort, reveal }: WorkOptions): boolean {
  return inspect === true || inspectPort !== undefined || reveal !== undefined;
}
