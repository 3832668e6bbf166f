import { isLive } from "../job.js";
import type { JobProgress } from "./job-board.js";
import type { Paint } from "./paint.js";
import { fitText, printable, textWidth } from "./printable.js";
import { type Part, progressParts } from "./progress-text.js";

const GAP = "  ";
const BAR_MAX = 30;
/** A shorter bar says nothing. */
const BAR_MIN = 8;
/** Room for the numbers behind the bar, fixed so that bars do not jump as numbers grow. */
const NUMBERS_WIDTH = 45;

export interface Screen {
  width: number;
  height: number;
  paint: Paint;
}

/** One line a job with a bar, and none wider than the screen: on a narrow one bars shrink, then numbers are left out. */
export function progressBars(jobs: readonly JobProgress[], screen: Screen): string[] {
  const shown = fitHeight(jobs, screen.height);
  // The last column stays free: some terminals wrap as soon as it is written.
  const width = screen.width - 1;
  const longest = Math.max(0, ...shown.map(({ name }) => textWidth(printable(name))));
  const nameWidth = Math.min(longest, Math.max(BAR_MIN, Math.floor(width / 3)));
  const barWidth = Math.min(BAR_MAX, width - nameWidth - NUMBERS_WIDTH - 2 * GAP.length);
  const lines = shown.map((job) => {
    const name = fitText(printable(job.name), nameWidth);
    const start = barWidth < BAR_MIN ? name : name + GAP + bar(job, barWidth, screen.paint);
    const used = nameWidth + (barWidth < BAR_MIN ? 0 : GAP.length + barWidth);
    return start + numbers(progressParts(job), width - used, screen.paint);
  });
  if (shown.length < jobs.length) lines.push(fitText(moreLine(jobs, shown), width).trimEnd());
  return lines;
}

/** With more jobs than lines, those at work come first. */
function fitHeight(jobs: readonly JobProgress[], height: number): readonly JobProgress[] {
  const lines = Math.max(1, height - 1);
  if (jobs.length <= lines) return jobs;
  const urgency = ({ status }: JobProgress) => (status === "running" ? 0 : isLive(status) ? 1 : 2);
  return [...jobs].sort((a, b) => urgency(a) - urgency(b)).slice(0, Math.max(1, lines - 1));
}

function moreLine(jobs: readonly JobProgress[], shown: readonly JobProgress[]): string {
  const hidden = jobs.filter((job) => !shown.includes(job));
  const live = hidden.filter(({ status }) => isLive(status)).length;
  return `… and ${hidden.length} more jobs, ${hidden.length - live} of them over`;
}

function bar({ done, failed, total }: JobProgress, width: number, paint: Paint): string {
  const filled = Math.floor((width * (done + failed)) / total);
  const red = failed === 0 ? 0 : Math.min(filled, Math.max(1, Math.round((width * failed) / total)));
  const empty = paint("dim", "░".repeat(width - filled));
  return paint("green", "█".repeat(filled - red)) + paint("red", "█".repeat(red)) + empty;
}

function numbers(parts: readonly Part[], width: number, paint: Paint): string {
  let line = "";
  let left = width;
  for (const { text, colour } of parts) {
    left -= GAP.length + textWidth(text);
    if (left < 0) break;
    line += GAP + (colour === undefined ? text : paint(colour, text));
  }
  return line;
}
