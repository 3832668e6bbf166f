import { join } from "node:path";
import { measure, withFolder } from "../support/measure.mjs";
import { goal, interleave, pairedRatio, rows } from "../support/rounds.mjs";

export const title = "Many workers";
export const inside =
  "64 workers and fetches of 5 ms, which is 12,800 targets a second at most. Beside it the same where each write waits for the one " +
  "before, so that none shares a transaction; and 64 plain lanes that wait as long and then store one target each by themselves, " +
  "with the floor's statements and transactions.";

const METRICS = ["rate", "cpuMicroseconds", "longestGapMs", "peakRssMb"];
const FETCH_MS = 5;

export async function compare({ rounds, targets, durableLaneTargets, workers }) {
  return withFolder(async (folder) => {
    const jobs = 2 * workers;
    const entrants = {};
    const kinds = [
      { kind: "", targets, synchronous: "normal" },
      { kind: ", FULL", targets: durableLaneTargets, synchronous: "full" },
    ];
    for (const { kind, targets: count, synchronous } of kinds) {
      const recording = join(folder, `recording${kind}`);
      await measure("recorded-statements", { targets: count, jobs, recording });
      const work = { targets: count, jobs, synchronous, workers, fetchMs: FETCH_MS };
      entrants[`lanes${kind}`] = () => measure("floor-lanes", { ...work, recording });
      entrants[`workers${kind}`] = () => measure("fairbatch", work);
      entrants[`workers, unshared${kind}`] = () => measure("fairbatch", { ...work, unshared: true });
    }
    const measured = await interleave(Math.min(rounds, 3), entrants);
    const shared = kinds.map(({ kind }) => pairedRatio(measured, `workers${kind}`, `workers, unshared${kind}`));
    const besideLanes = kinds.flatMap(({ kind }) => [
      pairedRatio(measured, `workers${kind}`, `lanes${kind}`),
      pairedRatio(measured, `workers${kind}`, `lanes${kind}`, "cpuMicroseconds"),
    ]);
    return {
      notes: [`${jobs} jobs; the rows with FULL have ${durableLaneTargets} targets.`],
      rows: rows(measured, METRICS),
      ratios: [...shared, ...besideLanes],
      goals: shared.map(({ name, median }) => goal(`${workers} workers: ${name}`, median, { atLeast: 2 })),
    };
  });
}
