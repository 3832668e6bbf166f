import { join } from "node:path";
import { measure, withFolder } from "../support/measure.mjs";
import { goal, interleave, pairedRatio, rows } from "../support/rounds.mjs";

export const title = "Beside the floor";
export const inside =
  "Targets a second from the first submit to all stored. The floor is a plain loop over raw better-sqlite3 with exactly the " +
  "statements and transactions that fairbatch runs for the same work with one worker, recorded from it before the rounds.";

const METRICS = ["rate", "microseconds", "cpuMicroseconds", "longestGapMs", "peakRssMb"];

export async function compare({ rounds, targets, jobs }) {
  return withFolder(async (folder) => {
    const recording = join(folder, "recording");
    const counted = await measure("recorded-statements", { targets, jobs, recording });
    const work = { targets, jobs };
    const durable = { synchronous: "full" };
    const measured = await interleave(rounds, {
      floor: () => measure("floor", { targets, recording }),
      "1 worker": () => measure("fairbatch", work),
      "2 workers": () => measure("fairbatch", { ...work, workers: 2 }),
      "1 worker, inspector": () => measure("fairbatch", { ...work, inspect: "no-op" }),
      "floor, FULL": () => measure("floor", { targets, recording, ...durable }),
      "1 worker, FULL": () => measure("fairbatch", { ...work, ...durable }),
    });
    const ratios = [
      pairedRatio(measured, "1 worker", "floor"),
      pairedRatio(measured, "2 workers", "floor"),
      pairedRatio(measured, "1 worker, inspector", "1 worker"),
      pairedRatio(measured, "1 worker, FULL", "floor, FULL"),
    ];
    return {
      notes: [
        `With one worker fairbatch runs ${counted.statements.toFixed(2)} statements and ${counted.transactions.toFixed(2)} ` +
          "transactions a target, those of the submits included.",
      ],
      rows: rows(measured, METRICS),
      ratios,
      goals: [goal("1 worker beside the floor", ratios[0].median, { atLeast: 0.75, stretch: 0.85 })],
    };
  });
}
