import { expect, onTestFinished, test } from "vitest";
import { createBatchRunner, openSqliteStore } from "../../src/index.js";
import { createLocalInspector, type LocalInspectorOptions } from "../../src/inspect/index.js";
import { heldFetch } from "../../src/testing/index.js";
import { Viewer } from "../inspect/viewer.js";
import { useChromium } from "./chromium.js";
import { eventually, jobRow, litStates, stateNumbers, treeLines } from "./page-view.js";

const chromium = useChromium();

/** A runner under an inspector, and its page in a browser. */
async function startInspected(options: LocalInspectorOptions = {}) {
  const store = await openSqliteStore(":memory:");
  const inspector = createLocalInspector({ store, ...options });
  const held = heldFetch();
  const runner = await createBatchRunner({ store, fetch: held.fetch, jobsPerCaller: 8, inspect: inspector.inspect });
  onTestFinished(async () => {
    await runner.close({ timeoutMs: 1 });
    await inspector.close();
    await store.close();
  });
  const submit = async (caller: string, ...urls: string[]) => {
    const targets = urls.map((url) => ({ url }));
    return (await runner.submit({ caller: { name: caller }, callerClass: "", targets })).id;
  };
  return { store, held, runner, submit, url: await inspector.listen() };
}

test("the tree fills, and the lit state follows a job from queued to done", async () => {
  const { held, submit, url } = await startInspected();
  const page = await chromium.open(url);
  const first = await submit("ann", "https://a.example/1");
  const second = await submit("bob", "https://b.example/1");
  const shown = (id: string) => id.slice(0, 8);

  await eventually(async () => {
    expect(await treeLines(page)).toEqual([
      "scheduler open",
      "Workers 1",
      "worker-1 fetching",
      "Live jobs 2",
      `${shown(first)} running.inFlight 0/1`,
      `${shown(second)} queued.ready 0/1`,
    ]);
  });
  await jobRow(page, second).click();
  await eventually(async () => expect(await litStates(page)).toEqual(["queued", "queued.ready"]));
  expect(await stateNumbers(page)).toEqual({ queued: "1", "queued.ready": "1", running: "1", "running.inFlight": "1" });

  (await held.next()).succeed();
  await eventually(async () => expect(await litStates(page)).toEqual(["running", "running.inFlight"]));
  (await held.next()).succeed();
  await eventually(async () => expect(await litStates(page)).toEqual(["done"]));
  await eventually(async () => {
    expect(await treeLines(page)).toEqual([
      "scheduler open",
      "Workers 1",
      "worker-1 idle",
      "Live jobs 0",
      "Ended jobs 2",
      `${shown(second)} done 1/1`,
      `${shown(first)} done 1/1`,
    ]);
  });
  expect(await stateNumbers(page)).toEqual({ done: "2" });
});

test("counts are those of the rows, while jobs run and after they have ended", async () => {
  const { held, store, submit, url } = await startInspected();
  const page = await chromium.open(url);
  const ids = [await submit("ann", "a:1", "a:2", "a:3"), await submit("bob", "b:1", "b:2")];
  const agree = async () => {
    const rows = await store.list();
    const lines = await Promise.all(ids.map((id) => jobRow(page, id).locator(".count").textContent()));
    const counts = ids.map((id) => rows.find((row) => row.id === id));
    expect(lines).toEqual(counts.map((row) => `${row?.targetsDone}/${row?.targetsTotal}`));
    const failed = rows.reduce((sum, row) => sum + row.targetsFailed, 0);
    expect(await page.locator("#sum-failed").textContent()).toBe(String(failed));
  };

  for (const answer of ["ok", "nope", "ok", "nope"]) {
    const call = await held.next();
    if (answer === "ok") call.succeed();
    else call.fail(new Error(answer));
    await eventually(agree);
  }
  (await held.next()).succeed();
  await eventually(async () => {
    await agree();
    expect(await page.locator("#sum-stored").textContent()).toBe("5/5");
    expect(await stateNumbers(page)).toEqual({ done: "1", failed: "1" });
  });
});

test("what is secret is neither on the wire nor in the document, whatever is chosen", async () => {
  const { held, runner, submit, url } = await startInspected();
  const page = await chromium.open(url);
  const bodies: Promise<string>[] = [];
  page.on("response", (response) => {
    if (!response.url().endsWith("/stream")) bodies.push(response.text().catch(() => ""));
  });
  const viewer = await Viewer.look(url);

  const id = await submit("sesame-caller", "https://sesame.example/url?sesame", "https://sesame.example/2");
  (await held.next()).succeed({ content: "sesame-result" });
  (await held.next()).fail(new Error("sesame-error"));
  await runner.idle();
  await jobRow(page, id).click();
  await eventually(async () => {
    expect(await page.locator(".target-row:visible").count()).toBe(2);
    expect(viewer.text).toContain("xstate.done.actor.job");
  });
  await page.reload();
  await jobRow(page, id).click();
  await eventually(async () => expect(await page.locator(".target-row:visible").count()).toBe(2));

  const seen = [viewer.text, await page.content(), ...(await Promise.all(bodies))];
  expect(seen.map((text) => text.includes("sesame"))).toEqual(seen.map(() => false));
  expect(seen.some((text) => text.includes(id))).toBe(true);
});

test("what was chosen to be revealed of a target is shown as text, markup and all", async () => {
  const { held, runner, submit, url } = await startInspected({ reveal: ["url", "error"] });
  const page = await chromium.open(url);
  const id = await submit("ann", "https://a.example/<img src=x onerror=alert(1)>");
  (await held.next()).fail(new Error("<b>not found</b>"));
  await runner.idle();

  await jobRow(page, id).click();
  await eventually(async () => {
    const texts = await page.locator(".target-text:visible").allTextContents();
    expect(texts).toEqual(["https://a.example/<img src=x onerror=alert(1)> · <b>not found</b>"]);
  });
  expect(await page.locator("#targets img, #targets b").count()).toBe(0);
});
