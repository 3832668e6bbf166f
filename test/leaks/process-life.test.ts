import { expect, test } from "vitest";
import { runScript } from "../support/run-script.js";
import { freshPath } from "../support/stores.js";

const LIMIT_MS = 60_000;

const OPEN = `
  const store = await fairbatch.openSqliteStore(process.argv[1]);
  const submit = (runner, ...urls) =>
    runner.submit({ caller: { name: "ann" }, callerClass: "", targets: urls.map((url) => ({ url })) });
  const start = (config) => fairbatch.createBatchRunner({ store, hooks: { job: (outcome) => console.log(outcome) }, ...config });
`;

/** A server of its own process's, which answers after a while, and whose listening keeps no process alive. */
const SERVER = `
  import { createServer } from "node:http";
  const server = createServer((_request, response) => setTimeout(() => response.end("page"), 300));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const site = "http://127.0.0.1:" + server.address().port;
  const fetchPage = async ({ url }, { signal }) => ({ content: await (await fetch(site, { signal })).text() });
`;

async function outcomeOf(source: string) {
  return runScript(OPEN + source, freshPath()).ended;
}

const says = (...lines: string[]) => ({ code: 0, stdout: lines.map((line) => `${line}\n`).join(""), stderr: "" });

test("a process whose runner is open and has no live job exits by itself, and its store can be owned anew", {
  timeout: LIMIT_MS,
}, async () => {
  const path = freshPath();
  const source = `${OPEN}
    const runner = await start({ fetch: ({ url }) => ({ content: url }), targetTimeoutMs: 60_000 });
    await submit(runner, "a", process.argv[2]);
    await runner.idle();`;
  expect(await runScript(source, path, "b").ended).toEqual(says("created", "done"));
  expect(await runScript(source, path, "c").ended).toEqual(says("created", "done"));
});

test("a process stays alive while a fetch is in flight, until its job has ended", { timeout: LIMIT_MS }, async () => {
  const source = `${SERVER}
    const runner = await start({ fetch: fetchPage });
    await submit(runner, "a", "b");`;
  expect(await outcomeOf(source)).toEqual(says("created", "done"));
});

test("a process stays alive until the time limit of a fetch that never answers", { timeout: LIMIT_MS }, async () => {
  const source = `
    const runner = await start({ fetch: () => new Promise(() => {}), targetTimeoutMs: 100 });
    await submit(runner, "a");`;
  expect(await outcomeOf(source)).toEqual(says("created", "failed"));
});

test("a process stays alive while the store refuses a write that is tried again", { timeout: LIMIT_MS }, async () => {
  const source = `
    let refusals = 3;
    const settle = async (request) => {
      if (refusals-- > 0) throw Object.assign(new Error("full"), { code: "SQLITE_FULL" });
      return store.settle(request);
    };
    const refusing = Object.assign(Object.create(store), { settle });
    const runner = await start({ store: refusing, fetch: ({ url }) => ({ content: url }), retryWaitMs: 50 });
    await submit(runner, "a");`;
  expect(await outcomeOf(source)).toEqual(says("created", "done"));
});

test("a fetch that holds nothing open keeps no process alive, nor does a watch of its job; the job is recovered later", {
  timeout: LIMIT_MS,
}, async () => {
  const path = freshPath();
  const source = `${OPEN}
    const runner = await start({ fetch: () => new Promise(() => {}) });
    const { id } = await submit(runner, "a");
    void (async () => { for await (const job of runner.watch(id)) console.log(job.status); })();`;
  expect(await runScript(source, path).ended).toEqual(says("created", "queued", "running"));
  const next = `${OPEN} await start({ fetch: () => ({ content: "" }) });`;
  expect(await runScript(next, path).ended).toEqual(says("failed"));
});

test("a watch of a job that has ended, or of none, keeps no process alive", { timeout: LIMIT_MS }, async () => {
  const source = `
    const runner = await start({ fetch: ({ url }) => ({ content: url }) });
    const { id } = await submit(runner, "a");
    await runner.idle();
    for (const known of [id, "unknown"]) void runner.watch(known)[Symbol.asyncIterator]().next();`;
  expect(await outcomeOf(source)).toEqual(says("created", "done"));
});

test("a process exits by itself after `close()` has aborted a fetch over HTTP, and after it gave up one that is deaf", {
  timeout: LIMIT_MS,
}, async () => {
  const source = `${SERVER}
    const fetching = (target, context) => (target.url === "deaf" ? new Promise(() => {}) : fetchPage(target, context));
    const runner = await start({ fetch: fetching, workers: 2, targetTimeoutMs: 60_000 });
    await submit(runner, "page");
    await runner.submit({ caller: { name: "bob" }, callerClass: "", targets: [{ url: "deaf" }] });
    while (runner.gauges.getSnapshot().context.inflight < 2) await new Promise((resolve) => setImmediate(resolve));
    await runner.close({ timeoutMs: 200 });
    server.closeAllConnections();
    console.log(process.getActiveResourcesInfo().filter((name) => name === "Timeout" || name === "Immediate").length);`;
  expect(await outcomeOf(source)).toEqual(says("created", "created", "0"));
});
