// What a stranger writes first, run in a folder into which only the packed package was installed.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createBatchRunner, openSqliteStore } from "fairbatch";
import { createLocalInspector } from "fairbatch/inspect";
import { jobMachine, schedulerMachine, workerMachine } from "fairbatch/machines";
import { heldFetch, ManualClock, openMemoryStore, untilTerminal } from "fairbatch/testing";

for (const machine of [jobMachine, schedulerMachine, workerMachine])
  assert.equal(typeof machine.transition, "function");

const store = await openSqliteStore("jobs.sqlite");
const { inspect, listen, close } = createLocalInspector();
const runner = await createBatchRunner({ store, inspect, fetch: ({ url }) => ({ content: `read ${url}` }) });
const urls = ["https://a.example/", "https://b.example/", "https://c.example/"];

const { id } = await runner.submit({
  caller: { name: "stranger" },
  callerClass: "person",
  targets: urls.map((url) => ({ url })),
});
await runner.idle();

const report = await runner.status(id);
assert.equal(report?.job.status, "done");
assert.deepEqual(
  report.targets.map((target) => target.result?.content),
  urls.map((url) => `read ${url}`),
);

const url = await listen();
for (const file of ["", "page.js", "page.css", "elk-worker.js"])
  assert.equal((await fetch(`${url}${file}`)).status, 200);
await close();
await runner.close();
await store.close();

// Much to store, which takes a thread that runs the very SQLite that is installed here.
const large = await openSqliteStore("large.sqlite");
const storing = await createBatchRunner({
  store: large,
  targetsPerJob: 300,
  fetch: () => ({ content: "x".repeat(10_000) }),
});
const thread = once(process, "worker");
await storing.submit({
  caller: { name: "stranger" },
  callerClass: "person",
  targets: Array.from({ length: 300 }, (_, page) => ({ url: `https://a.example/${page}` })),
});
await storing.idle();
const [worker] = await thread;
const ended = once(worker, "exit");
await storing.close();
await large.close();
assert.deepEqual(await ended, [0]);

const memory = await openMemoryStore();
const held = heldFetch();
const tested = await createBatchRunner({ store: memory, fetch: held.fetch, clock: new ManualClock() });
const batch = { caller: { name: "stranger" }, callerClass: "person", targets: [{ url: "https://a.example/" }] };
const submitted = await tested.submit(batch);
(await held.next()).succeed();
assert.equal((await untilTerminal(tested, submitted.id))?.status, "done");
await tested.close();
await memory.close();

// A peer that is not installed here: the error has to say so.
await assert.rejects(import("fairbatch/prometheus"), { code: "ERR_MODULE_NOT_FOUND", message: /'prom-client'/ });

console.log(id);
