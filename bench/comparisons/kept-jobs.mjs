import { join } from "node:path";
import { measure, withFolder } from "../support/measure.mjs";
import { goal, interleave, pairedRatio, rows } from "../support/rounds.mjs";

export const title = "A store that keeps many ended jobs";
export const inside =
  "Making a runner on it (ms), and microseconds a status, a submit of one target, a job swept and a job evicted, beside a store " +
  "that keeps no more than what is swept and evicted there.";

const METRICS = ["startMs", "status", "submit", "sweep", "evict"];

export async function compare({ rounds, kept, submits: times }) {
  return withFolder(async (folder) => {
    const entrants = {};
    const names = [];
    for (const count of [2 * times, kept]) {
      const filled = join(folder, `${count}.sqlite`);
      const firstLease = Math.floor(Date.now() / 1000) - count;
      await measure("filled-store", { path: filled, kept: count, firstLease });
      names.push(`${count} kept`);
      entrants[`${count} kept`] = () => measure("kept-jobs", { filled, kept: count, firstLease, times });
    }
    const measured = await interleave(rounds, entrants);
    const [few, many] = names;
    const ratios = METRICS.map((metric) => pairedRatio(measured, many, few, metric));
    const medianOf = (metric) => ratios.find((ratio) => ratio.metric === metric).median;
    return {
      rows: rows(measured, METRICS),
      ratios,
      goals: [
        goal(`a submit, ${many}, beside an all but empty store`, medianOf("submit"), { atMost: 1.5 }),
        goal(`an eviction, ${many}, beside an all but empty store`, medianOf("evict"), { atMost: 1.5 }),
      ],
    };
  });
}
