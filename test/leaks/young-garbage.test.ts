import { expect, test } from "vitest";
import { LIMIT_MS, runFixture, TIMES } from "./leak-fixture.js";

const FIXTURE = new URL("fixtures/young-garbage.mjs", import.meta.url);
const TARGETS = 800 * TIMES;

/** Node 20 counts an abort signal among the old objects, 900 bytes of them. All that a target makes is 80,000. */
const BYTES_A_TARGET = 3_500;

test("a target that is over leaves next to nothing to the collection of old objects", {
  timeout: LIMIT_MS,
}, async () => {
  const { bytesATarget, fetches } = await runFixture<{ bytesATarget: number; fetches: number }>(FIXTURE, TARGETS);
  expect(fetches).toBe(2 * TARGETS);
  expect(bytesATarget).toBeLessThan(BYTES_A_TARGET);
});
