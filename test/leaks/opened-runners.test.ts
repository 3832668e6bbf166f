import { dirname } from "node:path";
import { expect, test } from "vitest";
import { freshPath } from "../support/stores.js";
import { type Kept, LIMIT_MS, leaksOf, runFixture, TIMES } from "./leak-fixture.js";

const FIXTURE = new URL("fixtures/opened-runners.mjs", import.meta.url);
const RUNNERS = 66 * TIMES;

interface Report {
  reports: Kept[];
  refusals: number;
  outcomes: Record<"created" | "done" | "failed" | "resumed", number>;
}

test("200 runners opened and closed on one file leave nothing: no lock, open file, timer or object, however they were closed", {
  timeout: LIMIT_MS,
}, async () => {
  const { reports, refusals, outcomes } = await runFixture<Report>(FIXTURE, dirname(freshPath()), RUNNERS);
  expect(leaksOf(reports, RUNNERS)).toEqual([]);
  expect(reports.at(-1)!.counts).toEqual({ actors: 0, stores: 0, runners: 0, callers: 0, signals: 0 });
  expect(refusals).toBe(3 * RUNNERS);
  const { created, done, failed, resumed } = outcomes;
  expect({ created, ended: done + failed }).toEqual({ created: (5 * RUNNERS) / 2, ended: (5 * RUNNERS) / 2 });
  expect(resumed).toBeGreaterThan(RUNNERS);
});
