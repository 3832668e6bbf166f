import { expect, onTestFinished, test } from "vitest";
import { systemClock, unixSeconds } from "../../src/clock.js";
import type { BatchStore } from "../../src/index.js";
import type { Revealable } from "../../src/inspect/index.js";
import type { TargetPage } from "../../src/inspect/protocol.js";
import { createStoreInspector } from "../../src/inspect/store-inspector.js";
import { OwnerProcess } from "../support/owner-process.js";
import { openStoreFile } from "../support/store-file.js";
import { admitJob, done, failure, request, targets } from "../support/stores.js";
import { Viewer } from "./viewer.js";

/** Young enough that a runner which starts leaves it alone. */
const NOW = unixSeconds(systemClock);

async function openInspector(store: BatchStore, reveal: Revealable[] = []) {
  const inspector = createStoreInspector({ store, reveal });
  onTestFinished(() => inspector.close());
  return inspector.listen();
}

/** Admits a job, has its first targets tried, and settles them: one a second. */
async function workedOn(store: BatchStore, id: string, count: number, outcomes: ("done" | "failed")[]) {
  await store.admit(request(id, { targets: targets(count), caller: "s3cret", nowSeconds: NOW }));
  for (const [index, status] of outcomes.entries()) {
    await store.start({ jobId: id, index, startedAtMs: 1_000 * index, maxInterrupted: 3 });
    const finishedAtMs = 1_000 * index + 250;
    const outcome =
      status === "done" ? done(index, { finishedAtMs }) : failure(index, { finishedAtMs, error: "s3cret" });
    const targetsFailed = outcomes.slice(0, index + 1).filter((other) => other === "failed").length;
    const end = index + 1 < count ? undefined : "partial";
    await store.settle({ jobId: id, outcomes: [outcome], targetsDone: index + 1, targetsFailed, end });
  }
}

test("inspector: of a store at rest it shows the jobs, and a timeline of their targets from the rows", async () => {
  const { store } = await openStoreFile();
  await workedOn(store, "a", 2, ["done", "failed"]);
  await workedOn(store, "b", 4, ["done"]);
  await store.start({ jobId: "b", index: 1, startedAtMs: 5_000, maxInterrupted: 3 });
  await workedOn(store, "c", 2, []);
  await store.start({ jobId: "c", index: 0, startedAtMs: 6_000, maxInterrupted: 3 });
  await store.defer({ jobId: "c", index: 0, retryAtMs: 9_000, retrySinceMs: 6_500 });
  const viewer = await Viewer.look(await openInspector(store));
  await viewer.until(() => viewer.jobs.size === 3);

  expect(viewer.shown().jobs).toEqual([
    { id: "a", status: "partial", targetsTotal: 2, targetsDone: 2, targetsFailed: 1 },
    { id: "b", status: "running", targetsTotal: 4, targetsDone: 1, targetsFailed: 0 },
    { id: "c", status: "running", targetsTotal: 2, targetsDone: 0, targetsFailed: 0 },
  ]);
  const spans = viewer.shown().spans;
  const zero = spans.find(({ jobId }) => jobId === "a")!.fromMs;
  const line = ({ jobId, index, attempt, phase, fromMs, toMs }: (typeof spans)[number]) => [
    jobId,
    index,
    attempt,
    phase,
    Math.round(fromMs - zero),
    toMs && Math.round(toMs - zero),
  ];
  expect(spans.map(line).sort()).toEqual([
    ["a", 0, 1, "fetching", 0, 250],
    ["a", 1, 1, "fetching", 1_000, 1_250],
    ["b", 0, 1, "fetching", 0, 250],
    ["b", 1, 1, "fetching", 5_000, undefined],
    ["c", 0, 1, "waiting", 6_000, undefined],
  ]);
  expect(viewer.told[0]).toMatchObject({ name: "hello", message: { source: "store", machines: {} } });
  expect(viewer.text).not.toMatch(/s3cret|u:0/);
});

test("inspector: what another process does to the store is seen, and jobs that are removed leave", async () => {
  const { store, path } = await openStoreFile();
  await workedOn(store, "old", 1, ["done"]);
  const owner = await OwnerProcess.start(path);
  const id = await owner.submit("ann", "u:1", "u:2");
  await owner.told("fetch u:1");
  const viewer = await Viewer.look(await openInspector(store));
  await viewer.until(() => viewer.jobs.get(id)?.status === "running" && viewer.jobs.has("old"));
  owner.tell({ command: "answer" });
  await viewer.until(() => viewer.jobs.get(id)?.targetsDone === 1);
  const first = () => viewer.shown().spans.find((span) => span.jobId === id && span.index === 0);
  expect(first()?.toMs).toBeGreaterThanOrEqual(first()!.fromMs);
  owner.tell({ command: "answer" });
  await viewer.until(() => viewer.jobs.get(id)?.status === "done");
  await store.sweep(NOW + 3_600);
  await viewer.until(() => !viewer.jobs.has("old"));
});

test("inspector: the store is read while somebody looks, twice a second at most, and not at all otherwise", async () => {
  const { store } = await openStoreFile();
  await admitJob(store, "a");
  let reads = 0;
  const counted = (filter?: object) => {
    reads++;
    return store.list(filter);
  };
  const watched = { ...store, list: counted };
  const inspector = createStoreInspector({ store: watched });
  onTestFinished(() => inspector.close());
  await inspector.listen();
  expect(reads).toBe(0);
  const startedMs = performance.now();
  const viewer = await Viewer.look(inspector.url);
  for (let number = 0; number < 3; number++) {
    await admitJob(store, `more-${number}`);
    await viewer.until(() => viewer.jobs.has(`more-${number}`));
  }
  expect(reads).toBeLessThanOrEqual(1.5 + (performance.now() - startedMs) / 500);
  viewer.leave();
  const other = await Viewer.look(inspector.url);
  await other.until(() => other.jobs.size === 4);
});

test("inspector: a store that fails for a while is shown again when it answers", async () => {
  const { store } = await openStoreFile();
  await admitJob(store, "a");
  let failing = true;
  let refused = 0;
  const troubled = {
    ...store,
    async list(filter?: object) {
      if (failing && ++refused === 2) failing = false;
      if (failing) throw new Error("s3cret");
      return store.list(filter);
    },
  };
  const viewer = await Viewer.look(await openInspector(troubled));
  await viewer.until(() => viewer.jobs.has("a"));
  expect(refused).toBe(2);
  expect(viewer.text).not.toContain("s3cret");
});

test("inspector: a page of targets holds states and counts, and of the rest what is revealed", async () => {
  const { store } = await openStoreFile();
  await workedOn(store, "a", 2, ["done", "failed"]);
  const pageOf = async (...reveal: Revealable[]): Promise<TargetPage> => {
    const response = await fetch(`${await openInspector(store, reveal)}targets?job=a`);
    return (await response.json()) as TargetPage;
  };
  const job = { id: "a", status: "partial", targetsTotal: 2, targetsDone: 2, targetsFailed: 1 };
  const [first, second] = [
    { index: 0, status: "done", attempts: 1 },
    { index: 1, status: "failed", attempts: 1 },
  ];
  expect(await pageOf()).toEqual({ job, targets: [first, second], more: false });
  expect(await pageOf("caller")).toEqual({ job: { ...job, caller: "s3cret" }, targets: [first, second], more: false });
  expect(await pageOf("url", "error")).toEqual({
    job,
    targets: [
      { ...first, url: "u:0", error: "" },
      { ...second, url: "u:1", error: "s3cret" },
    ],
    more: false,
  });
  expect((await pageOf("result", "options", "hint")).targets).toEqual([
    { ...first, options: "{}", result: '{"content":"ok"}', hint: "" },
    { ...second, options: "{}", hint: "" },
  ]);
});

test("inspector: targets come in pages, and a large result is cut", async () => {
  const { store } = await openStoreFile();
  await store.admit(request("a", { targets: targets(250) }));
  const outcomes = [done(0, { result: JSON.stringify({ content: "x".repeat(1_000_000) }) })];
  await store.settle({ jobId: "a", outcomes, targetsDone: 1, targetsFailed: 0, end: undefined });
  const [plain, revealed] = [await openInspector(store), await openInspector(store, ["result"])];
  const pageAfter = async (url: string, after: number) => {
    const page = (await (await fetch(`${url}targets?job=a&after=${after}`)).json()) as TargetPage;
    return { ...page, indexes: page.targets.map(({ index }) => index) };
  };
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  expect((await pageAfter(plain, -1)).indexes).toEqual(range(0, 100));
  expect(await pageAfter(plain, 199)).toMatchObject({ indexes: range(200, 250), more: false });
  const first = await pageAfter(revealed, -1);
  expect(first).toMatchObject({ indexes: range(0, 20), more: true });
  expect(first.targets[0]?.result?.length).toBe(20_000);
  expect(await (await fetch(`${plain}targets?job=none`)).json()).toEqual({ targets: [], more: false });
});
