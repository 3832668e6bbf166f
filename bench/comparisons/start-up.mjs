import { measure } from "../support/measure.mjs";
import { goal, interleave, rows } from "../support/rounds.mjs";

export const title = "Start";
export const inside =
  "Importing the package, `openSqliteStore` on a file that does not exist yet, and `createBatchRunner` on it, each in a new process.";

export async function compare({ rounds }) {
  const measured = await interleave(rounds, { start: () => measure("start-up", {}) });
  const [row] = rows(measured, ["importMs", "openMs", "createMs"]);
  return {
    rows: [row],
    goals: [
      goal("import, ms", row.importMs.median, { atMost: 150 }),
      goal("createBatchRunner on an empty file, ms", row.createMs.median, { atMost: 50 }),
      goal("opening a new file and createBatchRunner, ms", row.openMs.median + row.createMs.median, { atMost: 50 }),
    ],
  };
}
