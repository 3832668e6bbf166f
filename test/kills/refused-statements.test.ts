import { expect, test } from "vitest";
import { isLongRun } from "../support/long-run.js";
import { openWithConnection } from "../support/stores.js";
import { failStatements } from "./failing-statements.js";
import { runTroubled } from "./troubled-run.js";
import { wrongWith } from "./wrong-runs.js";

/** What is wrong with runs during each of which another statement fails, and all after it for so many simulated seconds. */
async function wrongRuns(first: number, step: number, seconds: number, mendedInTime: boolean) {
  const { store, connection } = await openWithConnection(":memory:");
  const failing = failStatements(connection);
  const wrong: unknown[] = [];
  for (let number = first; ; number += step) {
    failing.given.length = 0;
    let leftSeconds = seconds;
    failing.fails = () => failing.given.length === number || (failing.given.length > number && leftSeconds > 0);
    const passed = () => {
      if (failing.given.length >= number) leftSeconds--;
    };
    let runLength = 0;
    const over = () => {
      runLength = failing.given.length;
      failing.fails = () => false;
    };
    const run = await runTroubled(store, connection, { passed, over });
    if (runLength < number) return { wrong, last: number };
    const found = wrongWith(run, mendedInTime);
    if (found.length > 0) wrong.push({ number, statement: failing.given[number - 1], found });
    connection.exec("delete from batch_job");
  }
}

test.each([
  ["once", 1, 0, true],
  ["for 4 s, which is less than `retryForMs`", 2, 4, true],
  ["for 14 s, which is more than `retryForMs`", 3, 14, false],
] as const)(
  "R8: whichever statement a full disk refuses, %s: nothing is lost or fetched twice, and rows, hooks and answers agree",
  { timeout: 120_000 },
  async (_name, first, seconds, mendedInTime) => {
    // Each of the three takes every third statement, and a long run every one.
    const { wrong, last } = await wrongRuns(isLongRun ? 1 : first, isLongRun ? 1 : 3, seconds, mendedInTime);
    expect(wrong).toEqual([]);
    expect(last).toBeGreaterThan(100);
  },
);
