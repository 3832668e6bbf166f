import { measure } from "../support/measure.mjs";
import { interleave, pairedRatio, rows } from "../support/rounds.mjs";

export const title = "Beside p-queue";
export const inside = "p-queue keeps everything in memory and stores nothing: the ceiling, not a peer.";

const METRICS = ["rate", "microseconds", "longestGapMs", "peakRssMb"];

export async function compare({ rounds, targets, jobs }) {
  const entrants = {};
  for (const workers of [1, 2]) {
    entrants[`fairbatch, ${workers}`] = () => measure("fairbatch", { targets, jobs, workers });
    entrants[`p-queue, ${workers}`] = () => measure("p-queue", { targets, jobs, workers });
  }
  const measured = await interleave(rounds, entrants);
  return {
    rows: rows(measured, METRICS),
    ratios: [1, 2].map((workers) => pairedRatio(measured, `fairbatch, ${workers}`, `p-queue, ${workers}`)),
  };
}
