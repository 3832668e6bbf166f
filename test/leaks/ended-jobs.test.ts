import { expect, test } from "vitest";
import { type Kept, LIMIT_MS, leaksOf, runFixture, TIMES } from "./leak-fixture.js";

const FIXTURE = new URL("fixtures/ended-jobs.mjs", import.meta.url);

interface Report {
  reports: Kept[];
  ended: Record<string, number>;
  observed: boolean;
  cancels: number;
  signalListeners: number;
}

test.for<[name: string, jobs: number, watched: boolean]>([
  ["5,040 jobs by one caller", 1_680, false],
  ["1,260 jobs under an inspect observer", 420, true],
])(
  "nothing is kept of %s, however they ended: no caller, result, error, signal, actor or timer",
  { timeout: LIMIT_MS },
  async ([, least, watched]) => {
    const jobs = least * TIMES;
    const { reports, cancels, ...rest } = await runFixture<Report>(FIXTURE, jobs, watched ? "inspect" : "");
    expect(leaksOf(reports, jobs)).toEqual([]);
    expect(reports.at(-1)!.counts).toEqual({ actors: 3, callers: 0, signals: 0, results: 0, errors: 0 });
    const all = 3 * jobs;
    const { cancelled, reused, ...ends } = rest.ended;
    expect({ ...rest, ended: { ...ends, sum: ends.done! + ends.partial! + ends.failed! + cancelled! } }).toEqual({
      observed: watched,
      signalListeners: 0,
      ended: {
        created: all,
        done: expect.any(Number),
        partial: expect.any(Number),
        failed: expect.any(Number),
        sum: all,
      },
    });
    expect([cancelled, reused]).toEqual([cancels, all / 7]);
  },
);
