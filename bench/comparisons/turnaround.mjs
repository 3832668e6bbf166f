import { measure } from "../support/measure.mjs";
import { goal, interleave, pairedRatio, rows } from "../support/rounds.mjs";

export const title = "Turnaround and the event loop";
export const inside =
  "With one worker: from a target told as stored (hook `target`) to the call of the next fetch, which holds the pause for the " +
  "event loop; the longest submit of a job, and the longest time between two turns of the event loop after the submits.";

const METRICS = ["microseconds", "turnaroundP50", "turnaroundP99", "submitMs", "longestGapMs", "peakRssMb"];
const NAME = "1 worker";

export async function compare({ rounds, targets, jobs }) {
  const measured = await interleave(rounds, {
    [NAME]: () => measure("fairbatch", { targets, jobs, turnaround: true }),
  });
  const ratios = ["turnaroundP50", "turnaroundP99"].map((metric) => ({
    ...pairedRatio(measured, NAME, NAME, metric, "microseconds"),
    name: `${metric} / microseconds`,
  }));
  const [row] = rows(measured, METRICS);
  return {
    rows: [row],
    ratios,
    goals: [
      goal("turnaround p50 / mean time a target", ratios[0].median, { atMost: 0.2 }),
      goal("turnaround p99 / mean time a target", ratios[1].median, { atMost: 2 }),
      goal("longest time without a turn of the event loop, ms", row.longestGapMs.median, { atMost: 20 }),
      goal(`longest submit of ${targets / jobs} targets, ms`, row.submitMs.median, { atMost: 20 }),
    ],
  };
}
