import { expect, test } from "vitest";
import { type Kept, LIMIT_MS, leaksOf, runFixture, TIMES } from "./leak-fixture.js";

const FIXTURE = new URL("fixtures/refusing-store.mjs", import.meta.url);
const RESULT_BYTES = 10_000;

interface Report {
  whileRefused: Kept[];
  reports: Kept[];
  ended: Record<string, number>;
  fetches: number;
  live: number;
}

test.for([
  { why: "which the store takes in time", seconds: 3, refused: "settle", jobs: 167, results: 1, done: 1 },
  { why: "with which jobs end from memory", seconds: 30, refused: "settle", jobs: 50, results: 2, done: 1 },
])(
  "R8: results that the store refuses are let go of once it takes them: those $why",
  { timeout: LIMIT_MS },
  async ({ seconds, refused, results, done, jobs: least }) => {
    const jobs = least * TIMES;
    const { whileRefused, reports, ...rest } = await runFixture<Report>(FIXTURE, jobs, seconds, refused);
    expect(leaksOf(reports, jobs)).toEqual([]);
    expect(reports.at(-1)!.counts).toEqual({ actors: 2, callers: 0, signals: 0, results: 0, errors: 0 });
    const held = whileRefused.at(-1)!.bytes - reports.at(-1)!.bytes;
    expect(held).toBeGreaterThan(jobs * results * RESULT_BYTES * 0.9);
    expect(rest).toEqual({
      ended: { created: 3 * jobs, done: 3 * jobs * done, partial: 0, failed: 0 },
      fetches: 6 * jobs,
      live: 0,
    });
  },
);
