import { measure } from "../support/measure.mjs";
import { goal, interleave, rows } from "../support/rounds.mjs";

export const title = "One very large job";
export const inside =
  "One job of very many targets: its submit (one transaction, which the event loop waits for), its targets, and what it adds to " +
  "the heap while it runs, garbage collected.";

export async function compare({ rounds, largeJob }) {
  const measured = await interleave(Math.min(rounds, 3), {
    "one job": async () => ({
      ...(await measure("large-job", { targets: largeJob, heap: false })),
      ...addedOf(await measure("large-job", { targets: largeJob, heap: true }, ["--expose-gc"])),
    }),
  });
  const [row] = rows(measured, ["microseconds", "submitMs", "longestGapMs", "addedKb", "peakRssMb"]);
  return {
    notes: [`${largeJob} targets.`],
    rows: [row],
    goals: [goal("KB that a very large job adds to the heap", row.addedKb.median, { atMost: 2048 })],
  };
}

const addedOf = ({ addedKb }) => ({ addedKb });
