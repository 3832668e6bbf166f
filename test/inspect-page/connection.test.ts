import { expect, test } from "vitest";
import { useChromium } from "./chromium.js";
import { PageServer } from "./page-server.js";
import { eventually, treeLines } from "./page-view.js";
import { event, job, jobActor, runnerActors, span } from "./views.js";

const chromium = useChromium();

test("before any job, each panel says that it has nothing to show yet", async () => {
  const { url } = await PageServer.start({ actors: runnerActors() });
  const page = await chromium.open(url);
  await eventually(async () =>
    expect(await treeLines(page)).toEqual(["scheduler open", "Workers 1", "worker-1 idle", "Live jobs 0"]),
  );

  await eventually(async () =>
    expect(await page.locator(".empty:visible").allTextContents()).toEqual([
      "Choose an actor to see its state.",
      "No target has been started yet.",
      "No event yet.",
    ]),
  );
});

test("a lost connection is told, what was seen stays, and a new one replaces it", async () => {
  const server = await PageServer.start({
    actors: [...runnerActors(), jobActor(0)],
    events: [event(1, "worker.take")],
  });
  const page = await chromium.open(server.url, { expectedErrors: /net::ERR/ });
  await eventually(async () => expect(await page.locator("#connection").textContent()).toBe("live"));
  server.break();
  await eventually(async () => expect(await page.locator("#connection").textContent()).toBe("reconnecting…"));
  expect(await page.locator("#lost").isVisible()).toBe(true);
  expect(await treeLines(page)).toContain("00000000 queued.ready 0/4");

  server.greet({ actors: [...runnerActors(), jobActor(7)], events: [event(1, "job.ready")] });
  server.recover();
  await eventually(async () => {
    expect(await page.locator("#connection").textContent()).toBe("live");
    expect((await treeLines(page)).at(-1)).toBe("00000007 queued.ready 0/4");
  });
  expect(await page.locator("#lost").isVisible()).toBe(false);
  expect(await page.locator("#event-count").textContent()).toBe("1");
});

test("the end of an inspector is told, what was seen stays, and nothing is asked for any more", async () => {
  const server = await PageServer.start({ actors: [...runnerActors(), jobActor(0)] });
  const page = await chromium.open(server.url);
  await eventually(async () => expect(await page.locator("#connection").textContent()).toBe("live"));
  server.end();
  await eventually(async () => expect(await page.locator("#connection").textContent()).toBe("ended"));
  expect(await page.locator("#lost").isVisible()).toBe(false);
  expect(await treeLines(page)).toContain("00000000 queued.ready 0/4");
  // A browser asks for a broken stream again after the 50 ms that it was told.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
  expect(server.asked.filter((name) => name === "/stream")).toHaveLength(1);
});

test("a greeting in mid-stream replaces all that was told, and keeps the choice", async () => {
  const server = await PageServer.start({ actors: [...runnerActors(), jobActor(0), jobActor(1)] });
  const page = await chromium.open(server.url);
  await page.locator('[data-key^="job:00000001"]').click();
  server.greet({ actors: [...runnerActors(), jobActor(1, { active: ["running.ready"], targetsDone: 2 })] });

  await eventually(async () => expect((await treeLines(page)).at(-1)).toBe("00000001 running.ready 2/4"));
  expect(await page.locator("#details-facts dd").first().textContent()).toBe("running.ready");
});

test("a store at rest shows its jobs and their timeline, and says why there are no actors, events or rotation", async () => {
  const server = await PageServer.start({
    source: "store",
    machines: {},
    jobs: [job(0, { status: "running", targetsDone: 1 }), job(1, { status: "done", targetsDone: 4 })],
    spans: [0, 1].map((id) => {
      const { worker: _, ...row } = span(id, id, { fromMs: -90_000 + id * 1_000, toMs: -89_000 + id * 1_000 });
      return row;
    }),
  });
  const page = await chromium.open(server.url);
  await eventually(async () =>
    expect(await treeLines(page)).toEqual(["Live jobs 1", "00000000 running 1/4", "Ended jobs 1", "00000001 done 4/4"]),
  );

  expect(await page.locator("#connection").textContent()).toBe("store");
  await eventually(async () =>
    expect(await page.locator(".empty:visible").allTextContents()).toEqual([
      "Choose an actor to see its state.",
      "A store at rest has rows and no actors: there is no state to light.",
      "A store at rest has rows and no actors, so there are no events to see.",
    ]),
  );
  expect(await page.locator("#rotation-words").textContent()).toContain("Rows have no rotation");
  // The window stands where the rows' times are.
  expect(await page.locator("#timeline canvas").getAttribute("aria-label")).toContain("2 jobs at work");
});
