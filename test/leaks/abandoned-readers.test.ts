import { expect, test } from "vitest";
import { type Kept, LIMIT_MS, leaksOf, runFixture, TIMES } from "./leak-fixture.js";

const FIXTURE = new URL("fixtures/abandoned-readers.mjs", import.meta.url);
const READERS = 334 * TIMES;

interface Report {
  whileLive: Kept[];
  waiting: number;
  afterEnd: Kept;
}

const NOTHING = { watches: 0, results: 0, subscribers: 0, selections: 0 };

test("a live job keeps no watch, page of results or gauges reader that was given up, and none that was forgotten once it ends", {
  timeout: LIMIT_MS,
}, async () => {
  const { whileLive, waiting, afterEnd } = await runFixture<Report>(FIXTURE, READERS);
  expect(leaksOf(whileLive, READERS)).toEqual([]);
  expect(whileLive.at(-1)!.counts).toEqual({ actors: 3, ...NOTHING });
  // Until then, whoever waits for the next state of a live job might still be there.
  expect(waiting).toBe(READERS);
  expect(afterEnd.counts).toEqual({ actors: 2, ...NOTHING, promises: 0 });
  expect(afterEnd.objects - whileLive.at(-1)!.objects).toBeLessThan(READERS / 10);
});
