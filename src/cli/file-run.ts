import type { LocalInspector } from "../inspect/local-inspector.js";
import type { FetchFunc } from "../runner/batch-runner.js";
import type { BatchStore } from "../store/batch-store.js";
import type { Caller } from "../target.js";
import type { JobBoard } from "./job-board.js";
import { printable } from "./printable.js";
import type { ProgressDisplay } from "./progress-display.js";
import type { ResultLines } from "./result-lines.js";
import type { RunOptions } from "./run-options.js";

/** What the steps of one `fairbatch run` or `fairbatch resume` share. */
export interface FileRun {
  options: Omit<RunOptions, "timeout"> & { timeout: number };
  fetch: FetchFunc<Caller, object>;
  store: BatchStore;
  board: JobBoard;
  display: ProgressDisplay;
  lines: ResultLines | undefined;
  inspector: LocalInspector | undefined;
}

/** Says something on stderr that a quiet run keeps to itself. */
export function say({ display, options }: FileRun, text: string): void {
  if (!options.quiet) display.write(process.stderr, `${printable(text)}\n`);
}
