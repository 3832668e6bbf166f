import { createLogUpdate } from "log-update";
import { isLive } from "../job.js";
import type { JobProgress } from "./job-board.js";
import { paintFor } from "./paint.js";
import { printable } from "./printable.js";
import { progressBars } from "./progress-bars.js";
import { progressLine } from "./progress-text.js";

const REDRAW_MS = 100;
/** Plain lines come ever more rarely, so that a long run does not fill a log. */
const FIRST_LINE_MS = 1_000;
const LINES_APART_MS = 30_000;

/** Shows progress until it is stopped. What else is to be written meanwhile is given to `write`, or it would tear the bars. */
export interface ProgressDisplay {
  write(stream: NodeJS.WriteStream, text: string): void;
  /** Shows the last state and ends; a second call does nothing. */
  stop(): void;
}

/** Bars that are redrawn in place on a terminal, otherwise a plain line a job now and then. */
export function showProgress(jobs: () => readonly JobProgress[], stream: NodeJS.WriteStream): ProgressDisplay {
  // A terminal of unknown size has 0 rows.
  const canRedraw = stream.isTTY && stream.rows > 0 && process.env.TERM !== "dumb";
  return canRedraw ? showBars(jobs, stream) : showLines(jobs, stream);
}

/** A display for those who want none. */
export const noProgress: ProgressDisplay = { write: (stream, text) => void stream.write(text), stop: () => {} };

function showBars(jobs: () => readonly JobProgress[], stream: NodeJS.WriteStream): ProgressDisplay {
  const update = createLogUpdate(stream);
  const paint = paintFor(stream);
  let stopped = false;
  const draw = () => {
    const lines = progressBars(jobs(), { width: stream.columns, height: stream.rows, paint });
    if (lines.length > 0) update(lines.join("\n"));
  };
  const timer = setInterval(draw, REDRAW_MS);
  return {
    write(target, text) {
      const tears = target.isTTY && !stopped;
      if (tears) update.clear();
      target.write(text);
      if (tears) draw();
    },
    stop() {
      if (stopped) return;
      stopped = true;
      clearInterval(timer);
      draw();
      update.done();
    },
  };
}

function showLines(jobs: () => readonly JobProgress[], stream: NodeJS.WriteStream): ProgressDisplay {
  let timer: NodeJS.Timeout;
  const writeAfter = (ms: number) => {
    timer = setTimeout(() => {
      const live = jobs().filter(({ status }) => isLive(status));
      for (const job of live) stream.write(`${printable(progressLine(job))}\n`);
      writeAfter(Math.min(2 * ms, LINES_APART_MS));
    }, ms);
  };
  writeAfter(FIRST_LINE_MS);
  return { write: (target, text) => void target.write(text), stop: () => clearTimeout(timer) };
}
