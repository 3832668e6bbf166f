import { expect, test } from "vitest";
import { type Kept, LIMIT_MS, leaksOf, runFixture, TIMES } from "./leak-fixture.js";

const FIXTURE = new URL("fixtures/http-fetches.mjs", import.meta.url);
const JOBS = 335 * TIMES;

/** What Node keeps of the sockets that are open as a report is made, now more and now fewer; less than an object a fetch. */
const SOCKETS_OBJECTS = 300;

interface Report {
  reports: Kept[];
  outcomes: Record<string, number>;
  closed: Kept;
}

test("1,000 fetches over HTTP leave no signal, socket or file, be they answered, refused, timed out or aborted by `close()`", {
  timeout: LIMIT_MS,
}, async () => {
  const { reports, outcomes, closed } = await runFixture<Report>(FIXTURE, JOBS);
  expect(leaksOf(reports, JOBS, SOCKETS_OBJECTS)).toEqual([]);
  const nothing = { callers: 0, signals: 0, results: 0, errors: 0 };
  expect(reports.at(-1)!.counts).toEqual({ actors: 11, ...nothing });
  expect(closed).toMatchObject({ counts: { actors: 1, ...nothing }, host: reports[0]!.host });
  expect(outcomes).toEqual({ done: (9 * JOBS) / 5, refused: (3 * JOBS) / 5, "timed out": (3 * JOBS) / 5 });
});
