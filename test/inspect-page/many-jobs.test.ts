import { expect, test } from "vitest";
import type { Update } from "../../src/inspect/protocol.js";
import { useChromium } from "./chromium.js";
import { PageServer } from "./page-server.js";
import { eventually } from "./page-view.js";
import { event, job, jobActor, jobId, runnerActors, span } from "./views.js";

const chromium = useChromium();

const MESSAGES = 10;
const MOVED = 1_000;

/** Generous: the machine may do much else. What it is about is that a page with an element for each job would stand for much longer. */
const LONGEST_GAP_MS = 3_000;
const NODES_MAX = 2_000;

/** What a runner tells in a tenth of a second in which these jobs all moved on. */
function allMove(places: readonly number[], round: number, live: number): Update {
  const active = [round % 2 === 0 ? "running.ready" : "running.waiting"];
  const times = { fromMs: round * 100, toMs: round * 100 + 80 };
  return {
    nowMs: round * 100,
    actors: places.map((place) => jobActor(place, { active, targetsDone: round })),
    jobs: places.map((place) => job(place, { status: "running", targetsTotal: 50, targetsDone: round })),
    events: places.slice(0, 200).map((place) => event(round * 200 + place, "target.stored")),
    spans: places.slice(0, 300).map((place) => span(round * 300 + place, place, times)),
    jobStates: { [active[0] ?? ""]: live },
    rotation: {
      ready: places.slice(0, 200).map((place) => ({ jobId: jobId(place), place })),
      ...{ readyTotal: live, lastPlace: round, lastJobId: jobId(round), idleWorkers: [] },
    },
  };
}

/** In words that the browser reads: notes the longest time between two frames. */
const NOTE_GAPS = `{
  let before = performance.now();
  globalThis.longestGap = 0;
  const look = (now) => {
    longestGap = Math.max(longestGap, now - before);
    before = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}`;

test.each([1_000, 10_000])(
  "%i jobs, a thousand of which move on at each message, neither freeze the page nor fill it",
  async (jobs) => {
    const server = await PageServer.start({ actors: runnerActors(2) });
    const page = await chromium.open(server.url);
    await eventually(async () => expect(await page.locator(".state-box").count()).toBeGreaterThan(0));
    const places = Array.from({ length: jobs }, (_, place) => place);
    const stored = (sum: number) =>
      eventually(async () => expect(await page.locator("#sum-stored").textContent()).toBe(`${sum}/${jobs * 50}`));
    await server.tell(allMove(places, 1, jobs));
    await stored(jobs);

    await page.evaluate(NOTE_GAPS);
    for (let round = 2; round <= MESSAGES; round++) {
      await server.tell(allMove(places.slice(0, MOVED), round, jobs));
      await stored(jobs + MOVED * (round - 1));
    }
    expect(await page.evaluate("longestGap")).toBeLessThan(LONGEST_GAP_MS);
    expect(await page.locator("*").count()).toBeLessThan(NODES_MAX);

    await page.locator("#tree").focus();
    await page.keyboard.press("End");
    const last = jobId(jobs - 1).slice(0, 8);
    await eventually(async () => expect(await page.locator("#details-title .mono").textContent()).toBe(last));
  },
);
