// Two callers submit a batch each. One worker fetches for both in turns, from a small site of the demo's own.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBatchRunner, openSqliteStore } from "fairbatch";
// The default fetch and the display are the command line's own.
import { httpFetch } from "../../dist/cli/http-fetch.js";
import { JobBoard } from "../../dist/cli/job-board.js";
import { readSummary, summaryTable } from "../../dist/cli/job-summary.js";
import { observeStore } from "../../dist/cli/observe-store.js";
import { showProgress } from "../../dist/cli/progress-display.js";
import { startSite } from "./site.mjs";

const batches = {
  anna: ["/", "/slow", "/busy", "/news", "/slow?again", "/contact"],
  bert: ["/a", "/missing", "/b", "/silent", "/slow", "/c"],
};

const site = await startSite();
const folder = await mkdtemp(join(tmpdir(), "fairbatch-demo-"));
const store = await openSqliteStore(join(folder, "demo.sqlite"));

// Any function can be the fetch. This one notes the order in which it is called.
const get = httpFetch();
const order = [];
const fetch = (target, context) => {
  const { pathname } = new URL(target.url);
  const again = context.attempt === 1 ? "" : ` (attempt ${context.attempt})`;
  order.push({ name: context.caller.name, text: pathname + again });
  return get(target, context);
};

const board = new JobBoard();
const display = showProgress(() => board.progress(), process.stderr);
const runner = await createBatchRunner({ store: observeStore(store, board), fetch, targetTimeoutMs: 1_500 });

const jobs = await Promise.all(
  Object.entries(batches).map(async ([name, paths]) => {
    const targets = paths.map((path) => ({ url: site.url(path) }));
    const { id } = await runner.submit({ caller: { name }, callerClass: "demo", targets });
    board.add(id, name, targets.length);
    return { id, name };
  }),
);

await runner.idle();
await runner.close();
display.stop();

const names = Object.keys(batches);
console.log(`\nFetched in this order, one target at a time, by ${names.join(" and ")} in turns:\n`);
for (const [index, { name, text }] of order.entries()) {
  const column = " ".repeat(26 * names.indexOf(name));
  console.log(`${String(index + 1).padStart(4)}  ${column}${name} ${text}`);
}
console.log();
for (const { id, name } of jobs) {
  const summary = await readSummary(store, id, { name, elapsedMs: board.elapsedMs(id) });
  console.log(summaryTable(summary, process.stdout.columns));
}

await store.close();
await rm(folder, { recursive: true });
site.close();
