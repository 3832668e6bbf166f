import type { Job } from "../job.js";

/** Enough of an id to tell jobs apart. */
export function shortId(id: string): string {
  return id.slice(0, 12);
}

export function statusText({ status, error }: Job): string {
  return error === "" ? status : `${status} (${error})`;
}

/** `10 of 12 done, 1 failed, 1 left`. */
export function countsText({ targetsTotal, targetsDone, targetsFailed }: Job): string {
  const left = targetsTotal - targetsDone;
  const counts = `${targetsDone - targetsFailed} of ${targetsTotal} done, ${targetsFailed} failed`;
  return left === 0 ? counts : `${counts}, ${left} left`;
}

/** When a job was submitted, in local time: `2026-03-01 14:05:09`. */
export function createdText({ createdAt }: Job): string {
  // Swedish writes dates as ISO does.
  return new Date(createdAt * 1000).toLocaleString("sv-SE");
}
