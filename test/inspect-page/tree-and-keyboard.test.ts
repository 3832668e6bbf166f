import { expect, test } from "vitest";
import { useChromium } from "./chromium.js";
import { PageServer } from "./page-server.js";
import { eventually, litStates, panelsInSight, treeLines } from "./page-view.js";
import { job, jobActor, jobId, runnerActors } from "./views.js";

const chromium = useChromium();

const TWO_JOBS = {
  actors: [...runnerActors(), jobActor(1), jobActor(2, { active: ["running.waiting"], targetsDone: 1, waitMs: 2_000 })],
  jobs: [
    job(0, { status: "partial", targetsDone: 4, targetsFailed: 1 }),
    job(1),
    job(2, { status: "running", targetsDone: 1 }),
  ],
  jobStates: { "queued.ready": 1, "running.waiting": 1, partial: 1 },
};

test("the tree is walked by the arrow keys, folds and unfolds, and what is reached is chosen", async () => {
  const { url } = await PageServer.start(TWO_JOBS);
  const page = await chromium.open(url);
  await eventually(async () => expect(await treeLines(page)).toHaveLength(8));
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const reached = async () => {
    const id = await page.locator("#tree").getAttribute("aria-activedescendant");
    return page.locator(`#${id}`).getAttribute("data-key");
  };

  await page.locator("#tree").focus();
  await press("ArrowDown");
  expect(await reached()).toBe("actor:s");
  await press("ArrowDown", "ArrowLeft");
  await eventually(async () =>
    expect((await treeLines(page)).slice(0, 3)).toEqual(["scheduler open", "Workers 1", "Live jobs 2"]),
  );
  await press("ArrowRight", "ArrowRight");
  expect(await reached()).toBe("actor:worker-1");
  await press("ArrowDown", "ArrowDown", "ArrowDown");
  expect(await reached()).toBe(`job:${jobId(2)}`);
  await eventually(async () => expect(await litStates(page)).toEqual(["running", "running.waiting"]));
  expect(await page.locator("#details-facts dd").allTextContents()).toContain("2.00 s");
  await press("ArrowLeft");
  expect(await reached()).toBe("group:live");
  await press("End");
  expect(await reached()).toBe(`job:${jobId(0)}`);
  await eventually(async () => expect(await litStates(page)).toEqual(["partial"]));
});

test("a screen reader is told each row's level, place, and whether it is open or chosen", async () => {
  const { url } = await PageServer.start(TWO_JOBS);
  const page = await chromium.open(url);
  await eventually(async () => expect(await treeLines(page)).toHaveLength(8));
  await page.locator(`[data-key="job:${jobId(1)}"]`).click();

  const rows = () =>
    page
      .locator("#tree [role=treeitem]:not([hidden])")
      .evaluateAll((found) =>
        found.map((row) =>
          ["aria-level", "aria-posinset", "aria-setsize", "aria-expanded", "aria-selected"]
            .map((name) => row.getAttribute(name))
            .join(" "),
        ),
      );
  await eventually(async () =>
    expect(await rows()).toEqual([
      "1 1 2  false",
      "2 1 2 true ",
      "3 1 1  false",
      "2 2 2 true ",
      "3 1 2  true",
      "3 2 2  false",
      "1 2 2 true ",
      "2 1 1  false",
    ]),
  );
});

test("choosing an actor opens its machine's chart, and tabs are moved between by arrow keys", async () => {
  const { url } = await PageServer.start(TWO_JOBS);
  const page = await chromium.open(url);
  const chosen = () => page.locator("#chart-tabs [aria-selected=true]").textContent();
  await page.locator('[data-key="actor:worker-1"]').click();
  await eventually(async () => expect([await chosen(), await litStates(page)]).toEqual(["Worker", ["idle"]]));

  await page.locator("#chart-tabs [aria-selected=true]").focus();
  await page.keyboard.press("ArrowLeft");
  expect(await chosen()).toBe("Scheduler");
  expect(await page.locator(":focus").textContent()).toBe("Scheduler");
  await page.keyboard.press("ArrowLeft");
  expect(await chosen()).toBe("Job");
});

test("where there is no room for all panels, tabs show one at a time, and nothing is wider than the window", async () => {
  const { url } = await PageServer.start(TWO_JOBS);
  const page = await chromium.open(url, { width: 390, height: 844 });
  const shown = () => panelsInSight(page);
  expect(await shown()).toEqual(["actors"]);

  await page.getByRole("tab", { name: "Actors" }).focus();
  for (const name of ["chart", "timeline", "rotation", "events"]) {
    await page.keyboard.press("ArrowRight");
    await eventually(async () => expect(await shown()).toEqual([name]));
    expect(await page.locator(":root").evaluate((root) => root.scrollWidth)).toBe(390);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await eventually(async () => expect(await shown()).toEqual(["actors", "chart", "timeline", "rotation", "events"]));
});

test("the state of the chosen actor is in sight, in a narrow window too, where its chart was not there when it was chosen", async () => {
  const { url } = await PageServer.start(TWO_JOBS);
  const page = await chromium.open(url, { width: 390, height: 844 });
  await page.locator(`[data-key="job:${jobId(0)}"]`).click();
  await page.getByRole("tab", { name: "Chart" }).click();

  await eventually(async () => {
    const chart = await page.locator("#chart").boundingBox();
    const state = await page.locator(".state-box.lit").boundingBox();
    if (chart === null || state === null) throw new Error("not yet there");
    expect(state.x).toBeGreaterThanOrEqual(chart.x);
    expect(state.y).toBeGreaterThanOrEqual(chart.y);
    expect(state.x + state.width).toBeLessThanOrEqual(chart.x + chart.width);
    expect(state.y + state.height).toBeLessThanOrEqual(chart.y + chart.height);
  });
});

test("a panel may have the room of all, beside the tree, and gives it back", async () => {
  const { url } = await PageServer.start(TWO_JOBS);
  const page = await chromium.open(url);
  for (const name of ["chart", "timeline", "events"]) {
    const button = page.locator(`[data-expand=${name}]`);
    await button.click();
    await eventually(async () => expect(await panelsInSight(page)).toEqual(["actors", name]));
    expect((await page.locator(`#panel-${name}`).boundingBox())?.width).toBeGreaterThan(900);
    await button.click();
    await eventually(async () => expect(await panelsInSight(page)).toHaveLength(5));
  }
  await page.locator("[data-expand=events]").click();
  await eventually(async () => expect(await panelsInSight(page)).toEqual(["actors", "events"]));
  await page.keyboard.press("Escape");
  await eventually(async () => expect(await panelsInSight(page)).toHaveLength(5));
});

test("the rotation shows live jobs in submit order, whose turn is next and who was taken last; arrow keys choose", async () => {
  const { url } = await PageServer.start({
    actors: [...runnerActors(), jobActor(0), jobActor(1, { active: ["running.inFlight"] }), jobActor(2)],
    rotation: {
      ready: [
        { jobId: jobId(0), place: 0 },
        { jobId: jobId(2), place: 2 },
      ],
      ...{ readyTotal: 2, lastPlace: 1, lastJobId: jobId(1), idleWorkers: [] },
    },
  });
  const page = await chromium.open(url);
  const chips = () =>
    page
      .locator("#rotation-ring [role=option]")
      .evaluateAll((found) => found.map((chip) => chip.getAttribute("aria-label")));
  await eventually(async () =>
    expect(await chips()).toEqual([
      "00000000, queued.ready",
      "00000001, running.inFlight, taken last",
      "00000002, queued.ready, next",
    ]),
  );
  expect(await page.locator("#rotation-words").textContent()).toBe("2 ready of 3 live; every worker has a target.");

  await page.locator("#rotation-ring").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await eventually(async () => expect(await page.locator("#details-title .mono").textContent()).toBe("00000001"));
});
