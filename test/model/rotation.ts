import type { LiveJob, Runner } from "./world.js";

/**
 * R2: the live jobs in submit order, read round and round; the next ready one after the one taken last. `storing` is a job
 * whose worker asks while it stores a target of it that is not the last: it stands in its place.
 */
export function takeTurn(runner: Runner, storing?: LiveJob): LiveJob | undefined {
  if (runner.phase !== "open") return undefined;
  const jobs = [...runner.jobs].filter((job) => job.state === "ready" || job === storing);
  const able = jobs.sort((a, b) => a.place - b.place);
  const job = able.find(({ place }) => place > runner.lastPlace) ?? able[0];
  if (job === undefined) return undefined;
  runner.lastPlace = job.place;
  job.state = "turn";
  return job;
}
