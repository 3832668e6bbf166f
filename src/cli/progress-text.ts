import { isLive } from "../job.js";
import { durationText } from "./duration-text.js";
import type { JobProgress } from "./job-board.js";
import type { Colour } from "./paint.js";

export interface Part {
  text: string;
  colour?: Colour;
}

/** What there is to say of a job beside its name, the most important first. */
export function progressParts(job: JobProgress): Part[] {
  const parts: Part[] = [{ text: `${job.done + job.failed}/${job.total}` }];
  if (job.failed > 0) parts.push({ text: `${job.failed} failed`, colour: "red" });
  if (job.status === "queued") parts.push({ text: "queued", colour: "dim" });
  else if (isLive(job.status)) parts.push(...speedParts(job));
  else parts.push(endPart(job));
  return parts;
}

/** The parts in one plain line: `a.txt: 12/40, 1 failed, 3.1/s, 9 s left`. */
export function progressLine(job: JobProgress): string {
  return `${job.name}: ${progressParts(job)
    .map(({ text }) => text)
    .join(", ")}`;
}

function speedParts({ done, failed, total, waiting, elapsedMs }: JobProgress): Part[] {
  const parts: Part[] = waiting ? [{ text: "1 waiting to retry", colour: "yellow" }] : [];
  const stored = done + failed;
  if (stored === 0 || elapsedMs <= 0) return parts;
  const perSecond = (stored * 1000) / elapsedMs;
  const secondsLeft = Math.ceil((total - stored) / perSecond);
  parts.push({ text: rateText(perSecond) }, { text: `${durationText(secondsLeft * 1000)} left` });
  return parts;
}

function endPart({ status, elapsedMs }: JobProgress): Part {
  return { text: `${status} in ${durationText(elapsedMs)}`, colour: status === "done" ? "green" : "red" };
}

function rateText(perSecond: number): string {
  if (perSecond >= 10) return `${Math.round(perSecond)}/s`;
  return perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(1)}/min`;
}
