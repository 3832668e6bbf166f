// Runs a small, lively batch under the inspector and takes the pictures of docs/: npm run build && npm run screenshots
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createBatchRunner, openSqliteStore, RetryLaterError, TargetError } from "fairbatch";
import { createLocalInspector } from "fairbatch/inspect";
import { chromium } from "playwright-core";

const RUN_MS = 5_500;
const folder = process.argv[2] ?? fileURLToPath(new URL("../docs/", import.meta.url));
const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) throw new Error(`no Chromium at ${executablePath}: install it, or set CHROMIUM_PATH`);

/** Each caller's targets, a letter each: quick, slow, busy (twice told to come later), missing. */
const callers = {
  anna: "qsqqbsqqsqsqqsqqsqqbqsqq",
  bert: "sqsmqqsqsqqsqqsqqqsq",
  cleo: "qqqqsqsqqqsqqqqsqqbqqsqs",
  dora: "bqsqqbmqsqqsqqbqsqqqq",
  emil: "mqsqq",
};
const QUICK_MS = [140, 210, 90, 260];

async function get({ url }, { signal, index, attempt }) {
  const kind = new URL(url).pathname[1];
  await delay(kind === "s" ? 520 + 60 * (index % 4) : QUICK_MS[index % QUICK_MS.length], undefined, { signal });
  if (kind === "b" && attempt <= 2) throw new RetryLaterError("busy", { afterMs: 900 });
  if (kind === "m") throw new TargetError("answered 404", { status: 404 });
  return { content: "a page" };
}

const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
const store = await openSqliteStore(":memory:");
const inspector = createLocalInspector({ store });
const runner = await createBatchRunner({ store, fetch: get, workers: 2, inspect: inspector.inspect });
const url = await inspector.listen();

const pictures = [
  { name: "inspector", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { name: "inspector-dark", viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  { name: "inspector-390", viewport: { width: 390, height: 844 }, colorScheme: "light", tab: "Timeline" },
];
const pages = [];
for (const { tab, name, ...settings } of pictures) {
  const page = await browser.newPage(settings);
  page.on("console", (message) => console.error(`${name}: ${message.text()}`));
  await page.goto(url);
  if (tab !== undefined) await page.getByRole("tab", { name: tab }).click();
  pages.push({ page, name });
}

const { id } = await submit("emil");
const ids = [id];
await runner.idle();
for (const name of ["anna", "bert", "cleo", "dora"]) {
  ids.push((await submit(name)).id);
  await delay(150);
}
await delay(RUN_MS);
for (const { page, name } of pages) {
  const job = page.locator(`[data-key="job:${ids[1]}"]`);
  if (await job.isVisible()) await job.click();
  await delay(300);
  await page.screenshot({ path: `${folder}/${name}.png` });
}

await browser.close();
await runner.close();
await inspector.close();
await store.close();

function submit(name) {
  const targets = [...callers[name]].map((kind, index) => ({ url: `https://${name}.example/${kind}/${index}` }));
  return runner.submit({ caller: { name }, callerClass: "demo", targets });
}
