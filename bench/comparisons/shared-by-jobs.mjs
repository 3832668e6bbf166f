import { join } from "node:path";
import { measure, withFolder } from "../support/measure.mjs";
import { interleave, pairedRatio, rows } from "../support/rounds.mjs";

export const title = "Targets shared by many jobs";
export const inside =
  "The same targets in more and more jobs, so that with many jobs most of the time is their submits. Each beside the floor of " +
  "the same jobs.";

const METRICS = ["rate", "microseconds", "longestGapMs", "peakRssMb"];

export async function compare({ rounds, targets, sharedBy }) {
  return withFolder(async (folder) => {
    const entrants = {};
    for (const jobs of sharedBy) {
      const recording = join(folder, String(jobs));
      await measure("recorded-statements", { targets, jobs, recording });
      entrants[`floor, ${jobs} jobs`] = () => measure("floor", { targets, recording });
      entrants[`${jobs} jobs`] = () => measure("fairbatch", { targets, jobs });
    }
    const measured = await interleave(rounds, entrants);
    return {
      rows: rows(measured, METRICS),
      ratios: sharedBy.map((jobs) => pairedRatio(measured, `${jobs} jobs`, `floor, ${jobs} jobs`)),
    };
  });
}
