import { dirname } from "node:path";
import { expect, test } from "vitest";
import { freshPath } from "../support/stores.js";
import { type Kept, LIMIT_MS, leaksOf, runFixture, TIMES } from "./leak-fixture.js";

const FIXTURE = new URL("fixtures/opened-runners.mjs", import.meta.url);
const RUNNERS = 66 * TIMES;

interface Report {
  reports: Kept[];
  codes: Record<string, number>;
}

test("200 runners opened and closed on one file leave nothing: no lock, open file, timer or object, however they were closed", {
  timeout: LIMIT_MS,
}, async () => {
  const { reports, codes } = await runFixture<Report>(FIXTURE, dirname(freshPath()), RUNNERS);
  expect(leaksOf(reports, RUNNERS)).toEqual([]);
  expect(reports.at(-1)!.counts).toEqual({ actors: 0, stores: 0, runners: 0, signals: 0 });
  expect(codes).toEqual({ ERR_STORE_IN_USE: 3 * RUNNERS });
});
