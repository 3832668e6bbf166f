import { measure } from "../support/measure.mjs";
import { goal, interleave, pairedRatio, rows } from "../support/rounds.mjs";

export const title = "Beside plainjob";
export const inside =
  "plainjob is a queue on better-sqlite3 that keeps no results: here they go into a column of its table, written with the job's " +
  "end (two commits a target) or by the processor (three, what its interface offers). It polls and has no pause between jobs: " +
  "while it has work, nothing else in its process gets a turn.";

const METRICS = ["rate", "microseconds", "longestGapMs", "peakRssMb"];

export async function compare({ rounds, targets, jobs }) {
  const entrants = {};
  for (const workers of [1, 2]) {
    const work = { targets, jobs, workers };
    entrants[`fairbatch, ${workers}`] = () => measure("fairbatch", work);
    entrants[`plainjob, ${workers}, result with the job`] = () =>
      measure("plainjob", { ...work, results: "with the job" });
    entrants[`plainjob, ${workers}, result by the processor`] = () =>
      measure("plainjob", { ...work, results: "by the processor" });
  }
  const measured = await interleave(rounds, entrants);
  const ratios = [1, 2].flatMap((workers) => [
    pairedRatio(measured, `fairbatch, ${workers}`, `plainjob, ${workers}, result with the job`),
    pairedRatio(measured, `fairbatch, ${workers}`, `plainjob, ${workers}, result by the processor`),
  ]);
  return {
    rows: rows(measured, METRICS),
    ratios,
    goals: ratios.map(({ name, median }) => goal(name, median, { atLeast: 1.4, stretch: 1.8 })),
  };
}
