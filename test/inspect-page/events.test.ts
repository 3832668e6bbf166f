import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useChromium } from "./chromium.js";
import { PageServer } from "./page-server.js";
import { eventLines, eventTypes, eventually } from "./page-view.js";
import { event, jobActor, jobId, runnerActors } from "./views.js";

const chromium = useChromium();

const toJob = { from: "worker-1", fromName: "worker-1", to: "j0", toName: jobId(0) };
const HELLO = {
  actors: [...runnerActors(), jobActor(0)],
  events: [event(1, "worker.take"), event(2, "fetch.settled"), event(3, "target.stored", toJob)],
};

async function shows(page: Page, types: string[]): Promise<void> {
  await eventually(async () => expect(await eventTypes(page)).toEqual(types));
}

test("events come newest first, with who told whom what", async () => {
  const server = await PageServer.start(HELLO);
  const page = await chromium.open(server.url);
  await shows(page, ["target.stored", "fetch.settled", "worker.take"]);
  await server.tell({
    nowMs: 100,
    events: [event(4, "target.deferred", { ...toJob, atMs: 61_250, detail: { waitMs: 20.0444, live: true } })],
  });
  await shows(page, ["target.deferred", "target.stored", "fetch.settled", "worker.take"]);

  expect((await eventLines(page))[0]).toBe("1:01.250 target.deferred worker-1 → 00000000 waitMs 20, live true");
});

test("events are filtered by parts of types and of actors' names, and by the chosen actor", async () => {
  const server = await PageServer.start(HELLO);
  const page = await chromium.open(server.url);
  await page.locator("#event-type").fill("settled, take");
  await shows(page, ["fetch.settled", "worker.take"]);
  await server.tell({ nowMs: 100, events: [event(4, "target.unsaved"), event(5, "fetch.settled")] });
  await shows(page, ["fetch.settled", "fetch.settled", "worker.take"]);

  await page.locator("#event-type").fill("");
  await page.locator("#event-actor").fill("0000");
  await shows(page, ["target.stored"]);
  await page.locator("#event-actor").fill("nobody");
  await shows(page, []);
  expect(await page.locator("#events-empty").textContent()).toBe("No event fits the filter.");

  await page.locator("#event-actor").fill("");
  await page.locator(`[data-key="job:${jobId(0)}"]`).click();
  await page.locator("#event-only").check();
  await shows(page, ["target.stored"]);
  // What it sent and got is still there when it is not.
  await server.tell({
    nowMs: 200,
    gone: ["j0"],
    jobs: [{ id: jobId(0), status: "done", targetsTotal: 1, targetsDone: 1, targetsFailed: 0 }],
  });
  await eventually(async () => expect(await page.locator("#sum-ended").textContent()).toBe("1"));
  await shows(page, ["target.stored"]);
});

test("a paused stream stands still and says how many came meanwhile; resumed, it shows them", async () => {
  const server = await PageServer.start(HELLO);
  const page = await chromium.open(server.url);
  await shows(page, ["target.stored", "fetch.settled", "worker.take"]);
  await page.locator("#event-pause").click();
  await server.tell({ nowMs: 100, events: [event(4, "worker.idle"), event(5, "job.ready")] });
  await eventually(async () => expect(await page.locator("#event-count").textContent()).toBe("3 · paused, 2 newer"));
  await shows(page, ["target.stored", "fetch.settled", "worker.take"]);

  await page.locator("#event-pause").click();
  await shows(page, ["job.ready", "worker.idle", "target.stored", "fetch.settled", "worker.take"]);
  expect(await page.locator("#event-count").textContent()).toBe("5");
});

test("what was left out of the messages is counted, and at most 5,000 events are kept", async () => {
  const server = await PageServer.start({ ...HELLO, events: [] });
  const page = await chromium.open(server.url);
  const events = Array.from({ length: 12_000 }, (_, index) => event(index, `tick.${index}`));
  await server.tell({ nowMs: 100, events, omitted: { events: 7, spans: 0 } });

  await eventually(async () => expect(await page.locator("#event-count").textContent()).toBe("5000 · 7 left out"));
  expect((await eventTypes(page))[0]).toBe("tick.11999");
  expect(await page.locator(".event-row").count()).toBeLessThan(60);
});
