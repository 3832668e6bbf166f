import { expect, test } from "vitest";
import { isLongRun } from "../support/long-run.js";
import { freshPath } from "../support/stores.js";
import { Census, KINDS } from "./census.js";
import { checkSequences, isReplay } from "./check.js";
import { movesAtRest, settingsWith } from "./moves.js";

const SEQUENCES = isLongRun ? 25_000 : 500;
const timeout = isLongRun ? 6 * 60 * 60 * 1000 : 300_000;
const census = new Census();

test.each([
  [1, "memory"],
  [2, "a file"],
])(
  "R1 to R8: at rest after each move, the runner stands as the rules say (workers: %i, store in %s)",
  { timeout },
  async (workers, place) => {
    const path = place === "memory" ? ":memory:" : freshPath();
    const settings = settingsWith(workers);
    await checkSequences({ moves: movesAtRest, settings, sequences: SEQUENCES, path, atRest: true, census });
  },
);

test.skipIf(isReplay)("R1 to R8: each kind of thing happened in those sequences", () => {
  console.log(census.table);
  expect(census.missing(KINDS)).toEqual([]);
});
