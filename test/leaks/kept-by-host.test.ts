import { expect, test } from "vitest";
import { type Kept, LIMIT_MS, runFixture, TIMES } from "./leak-fixture.js";

const FIXTURE = new URL("fixtures/kept-by-host.mjs", import.meta.url);
const JOBS = 100 * TIMES;

interface Report {
  whileOpen: Kept[];
  closed: Kept;
  keptByHost: number;
}

test("no job is kept by what its fetch leaves with the host: a promise in a cache, a fetch that never answers; nor is a closed runner", {
  timeout: LIMIT_MS,
}, async () => {
  const { whileOpen, closed, keptByHost } = await runFixture<Report>(FIXTURE, JOBS);
  expect(whileOpen.at(-1)!.counts).toMatchObject({ actors: 2, callers: 0, results: 0, runners: 1 });
  expect(closed.counts).toMatchObject({ actors: 0, callers: 0, results: 0, runners: 0, stores: 0 });
  expect(keptByHost).toBe(6 * JOBS + 1);
});
