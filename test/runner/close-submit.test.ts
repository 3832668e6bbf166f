import { expect, test } from "vitest";
import { type Batch, BatchError } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { troubledStore } from "../support/troubled-store.js";

const batch = (url: string): Batch => ({ caller: { name: url }, callerClass: "", targets: [{ url }] });

/** Each submit's id, or the code it was refused with. */
const answerOf = (submit: Promise<{ id: string }>) =>
  submit.then(
    ({ id }) => ({ id }),
    (error: BatchError) => ({ code: error.code }),
  );

async function startOnFile(slow = false) {
  const { store: real, raw } = await openStoreFile();
  const { store } = troubledStore(real);
  const admit = store.admit;
  if (slow) {
    store.admit = async (request) => {
      await settled();
      const admission = await admit(request);
      await settled();
      return admission;
    };
  }
  const { runner, lines } = await startRunner({ store, fetch: () => ({ content: "" }) });
  const statuses = () =>
    Object.fromEntries(raw.prepare("select id, status from batch_job").raw().all() as [string, string][]);
  return { runner, lines, statuses };
}

test.each<[string, { drain?: boolean }, boolean]>([
  ["close()", {}, false],
  ["close({ drain })", { drain: true }, false],
  ["close() of a runner with a slow store", {}, true],
  ["close({ drain }) of a runner with a slow store", { drain: true }, true],
])("submit in the tick of %s: a row that ran or is there, or ERR_CLOSED and no row", async (_name, options, slow) => {
  const { runner, statuses, lines } = await startOnFile(slow);
  const before = answerOf(runner.submit(batch("before")));
  const closing = runner.close(options);
  const after = answerOf(runner.submit(batch("after")));
  const answers = await Promise.all([before, after]);
  await closing;
  await settled();
  const rows = statuses();
  expect(answers[1]).toEqual({ code: "ERR_CLOSED" });
  const [first] = answers;
  if ("id" in first) expect(rows).toEqual({ [first.id]: options.drain ? "done" : expect.any(String) });
  else expect([first, rows]).toEqual([{ code: "ERR_CLOSED" }, {}]);
  expect(runner.gauges.getSnapshot().context.inflight).toBe(0);
  expect(lines.filter((line) => line === "job created").length).toBe(Object.keys(rows).length);
});

test("submit at each turn around a close: never an id that is nowhere", async () => {
  for (let turns = 0; turns < 30; turns++) {
    const { runner, statuses } = await startOnFile(true);
    const submitted = answerOf(runner.submit(batch("a")));
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    await runner.close();
    const answer = await submitted;
    expect(Object.keys(statuses())).toEqual("id" in answer ? [answer.id] : []);
  }
});

test("close({ drain }) waits for a submit under way, whose job then runs to its end", async () => {
  const { runner, statuses } = await startOnFile(true);
  const submitted = runner.submit(batch("a"));
  await runner.close({ drain: true });
  const { id } = await submitted;
  expect(statuses()).toEqual({ [id]: "done" });
});

test("ERR_CLOSED comes before every other complaint", async () => {
  const { runner } = await startOnFile();
  await runner.close();
  const bad: unknown[] = [
    {},
    { caller: { name: 5 } },
    { ...batch("a"), targets: [] },
    { ...batch("a"), targets: [5] },
    undefined,
  ];
  for (const each of bad as Batch[]) {
    await expect(runner.submit(each)).rejects.toEqual(new BatchError("ERR_CLOSED"));
  }
});

test("close() from the `created` hook: the row of the id that the submit resolves to is there", async () => {
  const { store: real, raw } = await openStoreFile();
  let close = () => {};
  const { runner } = await startRunner({ store: real, fetch: () => ({ content: "" }), hooks: { job: () => close() } });
  let closing: Promise<void> | undefined;
  close = () => {
    closing = runner.close();
  };
  const answer = await answerOf(runner.submit(batch("a")));
  await closing;
  expect(raw.prepare("select id from batch_job").pluck().all()).toEqual("id" in answer ? [answer.id] : []);
});

test("a submit that another connection holds up, while the runner and then its store are closed: ERR_CLOSED and no row", async () => {
  const { store, raw } = await openStoreFile();
  const { runner, clock } = await startRunner({ store, fetch: () => ({ content: "" }) });
  raw.exec("begin immediate");
  const submitted = answerOf(runner.submit(batch("a")));
  const closing = runner.close({ timeoutMs: 1 });
  clock.increment(1);
  await closing;
  await store.close();
  raw.exec("rollback");
  expect([await submitted, raw.prepare("select count(*) from batch_job").pluck().get()]).toEqual([
    { code: "ERR_CLOSED" },
    0,
  ]);
});
