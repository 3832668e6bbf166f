import { expect, test } from "vitest";
import { type Kept, LIMIT_MS, leaksOf, runFixture, TIMES } from "./leak-fixture.js";

const FIXTURE = new URL("fixtures/waiting-job.mjs", import.meta.url);
const STEPS = 333_334 * TIMES;
const ROUNDS = 3_334 * TIMES;

interface Report {
  idleReports: Kept[];
  attemptsMeanwhile: number;
  roundReports: Kept[];
  attempts: number;
}

test("a job that waits keeps no more after a million steps of the clock, and none after 10,000 rounds of being tried again", {
  timeout: LIMIT_MS,
}, async () => {
  const { idleReports, roundReports, ...rest } = await runFixture<Report>(FIXTURE, STEPS, ROUNDS);
  // A step allocates what a thousandth of a round does, at most.
  expect(leaksOf(idleReports, STEPS / 1_000)).toEqual([]);
  expect(leaksOf(roundReports, ROUNDS)).toEqual([]);
  expect(roundReports.at(-1)!.counts).toEqual({ actors: 3, signals: 0, errors: 0 });
  expect(rest).toEqual({ attemptsMeanwhile: 0, attempts: 1 + 3 * ROUNDS });
});
