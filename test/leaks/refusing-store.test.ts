import { expect, test } from "vitest";
import { type Kept, LIMIT_MS, leaksOf, runFixture, TIMES } from "./leak-fixture.js";

const FIXTURE = new URL("fixtures/refusing-store.mjs", import.meta.url);
/** As the fixture fetches them: large beside what else comes and goes meanwhile, such as compiled code. */
const RESULT_BYTES = 60_000;

interface Report {
  whileRefused: Kept[];
  reports: Kept[];
  ended: Record<string, number>;
  fetches: number;
  live: number;
}

test.for<[whose: string, jobs: number, seconds: number, results: number]>([
  ["of 501 jobs, which it takes in time", 167, 3, 1],
  ["of 150 jobs that end from memory meanwhile", 50, 30, 2],
])(
  "R8: results that the store refuses are let go of once it takes them: %s",
  { timeout: LIMIT_MS },
  async ([, least, seconds, results]) => {
    const jobs = least * TIMES;
    const { whileRefused, reports, ...rest } = await runFixture<Report>(FIXTURE, jobs, seconds, "settle");
    expect(leaksOf(reports, jobs)).toEqual([]);
    expect(reports.at(-1)!.counts).toEqual({ actors: 2, callers: 0, signals: 0, results: 0, errors: 0 });
    const held = whileRefused.at(-1)!.bytes - reports.at(-1)!.bytes;
    expect(held).toBeGreaterThan(jobs * results * RESULT_BYTES * 0.9);
    expect(rest).toEqual({
      ended: { created: 3 * jobs, done: 3 * jobs, partial: 0, failed: 0 },
      fetches: 6 * jobs,
      live: 0,
    });
  },
);
