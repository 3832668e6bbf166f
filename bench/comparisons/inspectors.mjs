import { measure } from "../support/measure.mjs";
import { interleave, pairedRatio, rows } from "../support/rounds.mjs";

export const title = "Inspectors";
export const inside =
  "The same work seen by nobody, by an observer that does nothing, by one that sees what `redacted` lets through and does nothing, " +
  "and by the local inspector: with nobody there, and with the page's stream read by another process.";

const METRICS = ["microseconds", "cpuMicroseconds", "longestGapMs", "peakRssMb"];
const SEEN_BY = {
  "observer, no-op": "no-op",
  "redacted, no-op": "redacted",
  "local inspector": "local",
  "local inspector, looked at": "looked-at",
};

export async function compare({ rounds, targets, jobs }) {
  const work = { targets, jobs };
  const entrants = { nobody: () => measure("fairbatch", work) };
  for (const [name, inspect] of Object.entries(SEEN_BY))
    entrants[name] = () => measure("fairbatch", { ...work, inspect });
  const measured = await interleave(rounds, entrants);
  const ratios = Object.keys(SEEN_BY).map((name) => pairedRatio(measured, name, "nobody", "cpuMicroseconds"));
  return { notes: [`${jobs} jobs, one worker.`], rows: rows(measured, METRICS), ratios };
}
