import { expect, test } from "vitest";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { batchOf, rejection, submitRaw } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

const targets = [{ url: "u:1" }, { url: "u:2" }];

test.each<[string, unknown]>([
  ["an error", new Error("no longer wanted")],
  ["a string", "no longer wanted"],
  ["null", null],
  ["an object without a prototype", Object.create(null)],
])(
  "R1.1: a signal aborted before rejects the submit with its reason, here %s, and leaves nothing",
  async (_name, reason) => {
    const { runner, store, lines } = await startRunner({ fetch: () => ({ content: "" }) });
    expect(await rejection(runner.submit(batchOf(targets, { signal: AbortSignal.abort(reason) })))).toBe(reason);
    await settled();
    expect({ jobs: await store.list(), lines }).toEqual({ jobs: [], lines: [] });
  },
);

test("R1.1: a signal aborted without a reason rejects with the AbortError it has", async () => {
  const { runner } = await startRunner({ fetch: () => ({ content: "" }) });
  const signal = AbortSignal.abort();
  expect(await rejection(runner.submit(batchOf(targets, { signal })))).toBe(signal.reason);
});

test("R1.1: once the job is stored the signal has no more say", async () => {
  const held = heldFetch();
  const { runner } = await startRunner({ fetch: held.fetch });
  const controller = new AbortController();
  const { id } = await runner.submit(batchOf(targets, { signal: controller.signal }));
  const first = await held.next();
  controller.abort();
  await settled();
  expect(first.context.signal.aborted).toBe(false);
  first.succeed();
  (await held.next()).succeed();
  expect(await untilTerminal(runner, id)).toMatchObject({ status: "done", targetsDone: 2 });
});

test("R1.1: an abort in the tick of the submit comes too late where the store has taken the job at once", async () => {
  const { runner, store } = await startRunner({ fetch: () => ({ content: "" }) });
  const controller = new AbortController();
  const submitted = runner.submit(batchOf(targets, { signal: controller.signal }));
  controller.abort();
  const { id } = await submitted;
  await runner.idle();
  expect(await store.findJob(id)).toMatchObject({ status: "done" });
});

test("R1.1: a signal aborted while another connection holds up the submit rejects it with its reason, and leaves nothing", async () => {
  const { store, raw } = await openStoreFile();
  const { runner, lines } = await startRunner({ store, fetch: () => ({ content: "" }) });
  raw.exec("begin immediate");
  const controller = new AbortController();
  const reason = new Error("no longer wanted");
  const submitted = rejection(runner.submit(batchOf(targets, { signal: controller.signal })));
  controller.abort(reason);
  expect(await submitted).toBe(reason);
  raw.exec("rollback");
  expect({ jobs: await store.list(), lines }).toEqual({ jobs: [], lines: [] });
});

test("R1: the signal is left without listeners, so that a long-lived one gathers none", async () => {
  const { runner } = await startRunner({ fetch: () => ({ content: "" }) });
  const { signal } = new AbortController();
  const counts = { added: 0, removed: 0 };
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    counts.added++;
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    counts.removed++;
    removeEventListener.apply(signal, args);
  };
  await runner.submit(batchOf(targets, { signal }));
  await runner.idle();
  expect(counts.added).toBe(counts.removed);
});

const thrower = (): never => {
  throw new Error("hostile");
};
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

test.each<[string, unknown]>([
  ["one that throws when asked", Object.defineProperty({}, "aborted", { get: thrower })],
  [
    "one that is aborted and throws for its reason",
    Object.defineProperty({ aborted: true }, "reason", { get: thrower }),
  ],
  ["one that takes no listener", { aborted: false, addEventListener: thrower }],
  ["one that is no signal at all", 7],
  ["null", null],
  ["a revoked proxy", revoked],
])("R1.1: a hostile signal settles its own submit and harms nobody else: %s", async (_name, signal) => {
  const { runner, store } = await startRunner({ fetch: () => ({ content: "" }) });
  const answer = await submitRaw(runner, batchOf(targets, { signal })).catch(() => undefined);
  const { id } = await runner.submit(batchOf([{ url: "u:3" }]));
  await runner.idle();
  const jobs = (await store.list()).map((job) => ({ id: job.id, status: job.status }));
  const stored = answer === undefined ? [] : [{ id: answer.id, status: "done" }];
  expect(jobs).toEqual([{ id, status: "done" }, ...stored]);
});
