import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import type { Hooks } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { recordHooks, startOnManualClock, startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { troubledStore } from "../support/troubled-store.js";

/** A fetch that fails each URL that begins with `bad`. */
const byUrl = (target: { url: string }) => {
  if (target.url.startsWith("bad")) throw new Error("nope");
  return { content: "" };
};

test.each([
  ["done", ["a", "b", "c"], 0],
  ["failed", ["bad1", "bad2", "bad3"], 3],
  ["partial", ["a", "bad", "c"], 1],
  ["partial", ["bad1", "bad2", "c"], 2],
  ["done", ["a"], 0],
  ["failed", ["bad"], 1],
])("R4: a job is %s after %j", async (status, urls, targetsFailed) => {
  const { runner, lines, submit } = await startRunner({ fetch: byUrl });
  const id = await submit("ann", ...urls);
  await untilTerminal(runner, id);
  await settled();
  const report = await runner.status(id);
  expect(report?.job).toMatchObject({
    status,
    error: "",
    targetsTotal: urls.length,
    targetsDone: urls.length,
    targetsFailed,
  });
  expect(lines.slice(-2)).toEqual([`job ${status}`, "jobSeconds"]);
});

/** Reads past the store, and says where a job shows all targets stored beside a live status, or counts that are not its targets'. */
function torn(raw: Database): unknown[] {
  return raw
    .prepare(
      `select * from (
         select status, targets_total as total, targets_done as done, targets_failed as failed,
           (select count(*) from batch_target where job_id = id and status in ('done', 'failed')) as stored,
           (select count(*) from batch_target where job_id = id and status = 'failed') as storedFailed
         from batch_job)
       where (stored = total) <> (status in ('done', 'partial', 'failed')) or stored <> done or storedFailed <> failed`,
    )
    .all();
}

test("R4: nobody ever reads all targets stored beside `running`: another connection looks at every hook and turn", async () => {
  const { store, raw } = await openStoreFile();
  let looks = 0;
  const found: unknown[] = [];
  const look = () => {
    looks++;
    found.push(...torn(raw));
  };
  const hooks: Required<Hooks> = { job: look, target: look, jobSeconds: look, depth: look, inflight: look };
  const { runner, submit } = await startRunner({
    store,
    hooks,
    workers: 2,
    async fetch(target) {
      look();
      await settled();
      look();
      return byUrl(target);
    },
  });
  const over = Promise.all([
    submit("ann", "a", "b", "bad"),
    submit("bob", "bad"),
    submit("cem", "a", "bad"),
    submit("dee", "a"),
  ]).then(() => runner.idle());
  let waiting = true;
  void over.then(() => {
    waiting = false;
  });
  while (waiting) {
    look();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(found).toEqual([]);
  expect(looks).toBeGreaterThan(50);
});

test("R4: the order at the last target: stored, gauges, `target`, eviction, `job`, `jobSeconds`", async () => {
  const { store: real, raw } = await openStoreFile();
  const { hooks, lines } = recordHooks();
  const status = raw.prepare("select status from batch_job").pluck();
  // Each hook tells what the rows say at its moment.
  const told = Object.fromEntries(
    Object.entries(hooks).map(([name, hook]) => [
      name,
      (...args: unknown[]) => {
        (hook as (...args: unknown[]) => void)(...args);
        lines.push(`${lines.pop()}, ${status.get() ?? "no row"}`);
      },
    ]),
  );
  const { store } = troubledStore(real);
  const evict = store.evict;
  store.evict = async (maxBytes) => {
    await settled();
    await evict(maxBytes);
    lines.push("eviction");
  };
  const held = heldFetch();
  const { submit } = await startRunner({ store, fetch: held.fetch, hooks: told, maxBytes: 1 });
  await submit("ann", "a", "b");
  (await held.next()).succeed();
  const last = await held.next();
  const before = lines.length;
  last.succeed();
  for (let time = 0; time < 3; time++) await settled();
  expect(lines.slice(before)).toEqual([
    "inflight 0, done",
    "depth 0, done",
    "target ok 15, done",
    "eviction",
    "job done, no row",
    "jobSeconds, no row",
  ]);
});

test("R4: a job's end is told exactly once, whatever else goes on", async () => {
  const ends: string[] = [];
  const seconds: number[] = [];
  const { runner, submit } = await startRunner({
    fetch: byUrl,
    workers: 2,
    jobsTotal: 100,
    jobsPerCaller: 100,
    hooks: {
      job: (outcome) => ends.push(outcome),
      jobSeconds: (value) => seconds.push(value),
    },
  });
  await Promise.all(
    Array.from({ length: 60 }, (_, number) =>
      submit(
        "ann",
        ...[
          ["a", "b"],
          ["bad1", "a"],
          ["bad1", "bad2"],
        ][number % 3]!.map((url) => url + number),
      ),
    ),
  );
  await runner.idle();
  await settled();
  const counts: Record<string, number> = {};
  for (const outcome of ends) counts[outcome] = (counts[outcome] ?? 0) + 1;
  expect(counts).toEqual({ created: 60, done: 20, partial: 20, failed: 20 });
  expect(seconds.length).toBe(60);
});

test("R4: `jobSeconds` is the time since the submit, waiting included, on monotonic time", async () => {
  const held = heldFetch();
  const seconds: number[] = [];
  const { clock, submit } = await startOnManualClock({
    fetch: held.fetch,
    hooks: { jobSeconds: (value) => seconds.push(value) },
  });
  await submit("ann", "a");
  const first = await held.next();
  clock.jump(1_000);
  await submit("bob", "b");
  clock.wallMs += 1e9;
  clock.jump(500);
  first.succeed();
  const second = await held.next();
  clock.wallMs -= 2e9;
  clock.jump(250);
  second.succeed();
  await settled();
  expect(seconds).toEqual([1.5, 0.75]);
});

test("R4: an ended job is told once even where its submit was reused meanwhile", async () => {
  const held = heldFetch();
  const { lines, submit } = await startRunner({ fetch: held.fetch });
  const first = await submit("ann", "a");
  expect(await submit("ann", "a")).toBe(first);
  (await held.next()).succeed();
  await settled();
  expect(await submit("ann", "a")).toBe(first);
  expect(lines.filter((line) => line.startsWith("job"))).toEqual([
    "job created",
    "job reused",
    "job done",
    "jobSeconds",
    "job reused",
  ]);
});

test("R7: the gauges hold their two numbers and nothing else, and are 0 once every job has ended", async () => {
  const { runner, submit } = await startRunner({ fetch: byUrl });
  await submit("ann", "a", "bad");
  await runner.idle();
  expect(runner.gauges.getSnapshot().context).toEqual({ live: 0, inflight: 0 });
});
