import { describe, expect, test } from "vitest";
import type { BatchStore } from "../../src/index.js";
import {
  admitJob,
  done,
  failure,
  freshPath,
  openRaw,
  openStore,
  openWithConnection,
  PLACES,
  request,
} from "../support/stores.js";

const NOTHING_FROM_IT = { url: "u:1", options: {}, error: "", hint: "", attempts: 0 };

describe.each(PLACES)("in %s", (place) => {
  test("R6: status is the job and its targets in index order, with the names of the API", async () => {
    const { store } = await openStore(place);
    const targets = [
      { url: "u:0 \0👍", options: '{"mode":"x","context":false}' },
      ...Array.from({ length: 11 }, (_, index) => ({ url: `u:${index + 1}`, options: "{}" })),
    ];
    await store.admit(request("a", { caller: "ann\0", callerClass: "gold", targets, nowSeconds: 1_234 }));
    await store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 });
    const outcomes = [done(0, { result: '{"content":"x\\u0000","meta":{"n":[1]}}' })];
    await store.settle({ jobId: "a", outcomes, targetsDone: 1, targetsFailed: 0, end: undefined });
    await store.start({ jobId: "a", index: 1, startedAtMs: 1, maxInterrupted: 3 });
    await store.settle({
      jobId: "a",
      outcomes: [failure(1, { error: "nope \0👍", hint: "try b" })],
      targetsDone: 2,
      targetsFailed: 1,
      end: undefined,
    });
    await store.start({ jobId: "a", index: 2, startedAtMs: 1, maxInterrupted: 3 });

    const job = {
      ...{ id: "a", caller: "ann\0", callerClass: "gold", status: "running", error: "" },
      ...{ targetsTotal: 12, targetsDone: 2, targetsFailed: 1, createdAt: 1_234 },
    };
    const plain = { options: {}, error: "", hint: "" };
    expect(await store.findJob("a")).toEqual(job);
    expect(await store.status("a")).toEqual({
      job,
      targets: [
        {
          ...plain,
          ...{ index: 0, url: "u:0 \0👍", options: { mode: "x", context: false }, status: "done", attempts: 1 },
          result: { content: "x\0", meta: { n: [1] } },
        },
        { ...plain, index: 1, url: "u:1", status: "failed", error: "nope \0👍", hint: "try b", attempts: 1 },
        { ...plain, index: 2, url: "u:2", status: "running", attempts: 1 },
        ...Array.from({ length: 9 }, (_, place) => {
          return { ...plain, index: place + 3, url: `u:${place + 3}`, status: "pending", attempts: 0 };
        }),
      ],
    });
  });

  test("R6: an unknown id is undefined, and has no targets", async () => {
    const { store } = await openStore(place);
    await admitJob(store, "a");
    expect([await store.status("b"), await store.findJob("A"), await store.targetsAfter("b", -1, 10)]).toEqual([
      undefined,
      undefined,
      [],
    ]);
  });

  test("results: targets are read in pages: those after an index, in index order, at most so many", async () => {
    const { store } = await openStore(place);
    await admitJob(store, "a", 12);
    await admitJob(store, "b", 12);
    const page = async (afterIndex: number, limit: number) =>
      (await store.targetsAfter("a", afterIndex, limit)).map((target) => target.index);
    expect(await page(-1, 3)).toEqual([0, 1, 2]);
    expect(await page(8, 2)).toEqual([9, 10]);
    expect(await page(8, 100)).toEqual([9, 10, 11]);
    expect(await page(11, 100)).toEqual([]);
    expect(await store.targetsAfter("a", 0, 1)).toEqual((await store.status("a"))?.targets.slice(1, 2));
  });

  test("results: a page ends with the target that fills it, so that no page fills the memory", async () => {
    const { store } = await openStore(place);
    await admitJob(store, "a", 5);
    const sizes = [100, 2 ** 20, 2 ** 19, 2 ** 19, 10];
    const outcomes = sizes.map((size, index) => done(index, { result: JSON.stringify({ content: "x".repeat(size) }) }));
    await store.settle({ jobId: "a", outcomes, targetsDone: 5, targetsFailed: 0, end: "done" });
    const page = async (afterIndex: number) =>
      (await store.targetsAfter("a", afterIndex, 100)).map((target) => target.index);
    expect([await page(-1), await page(1), await page(3), await page(4)]).toEqual([[0, 1], [2, 3], [4], []]);
  });

  test("inspector: the times of targets are read in pages, each time where the row has one", async () => {
    const { store } = await openStore(place);
    await admitJob(store, "a", 5);
    await store.start({ jobId: "a", index: 0, startedAtMs: 1_000, maxInterrupted: 3 });
    const outcomes = [done(0, { finishedAtMs: 1_250 })];
    await store.settle({ jobId: "a", outcomes, targetsDone: 1, targetsFailed: 0, end: undefined });
    await store.start({ jobId: "a", index: 1, startedAtMs: 2_000, maxInterrupted: 3 });
    await store.defer({ jobId: "a", index: 1, retryAtMs: 4_500, retrySinceMs: 2_500 });
    const none = { attempts: 0, startedAtMs: undefined, finishedAtMs: undefined, retryAtMs: undefined };
    expect(await store.timesAfter("a", -1, 3)).toEqual([
      { ...none, index: 0, status: "done", attempts: 1, startedAtMs: 1_000, finishedAtMs: 1_250 },
      { ...none, index: 1, status: "pending", attempts: 1, startedAtMs: 2_000, retryAtMs: 4_500 },
      { ...none, index: 2, status: "pending" },
    ]);
    expect((await store.timesAfter("a", 2, 9)).map(({ index }) => index)).toEqual([3, 4]);
    expect(await store.timesAfter("b", -1, 9)).toEqual([]);
  });

  test.each([
    ["options that are cut off", `options = '{"mode":'`],
    ["options that are no object", "options = '5'"],
    ["options that are a blob", "options = x'00ff'"],
    ["a result that is cut off", `result = '{"content":', status = 'done'`],
    ["an empty result", "result = '', status = 'done'"],
    ["a result that is no object", "result = 'null', status = 'done'"],
    ["a result that is a blob", "result = x'00ff', status = 'done'"],
  ])("section 2: a target with %s is failed with internal error, and status still answers", async (_name, broken) => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "a", 3);
    raw.exec(`update batch_target set ${broken} where idx = 1`);
    const report = await store.status("a");
    expect(report?.job).toMatchObject({ id: "a", status: "queued", targetsTotal: 3 });
    expect(report?.targets).toEqual([
      { ...NOTHING_FROM_IT, index: 0, url: "u:0", status: "pending" },
      { ...NOTHING_FROM_IT, index: 1, status: "failed", error: "internal error" },
      { ...NOTHING_FROM_IT, index: 2, url: "u:2", status: "pending" },
    ]);
    expect(await store.targetsAfter("a", -1, 10)).toEqual(report?.targets);
  });

  test("section 2: status answers with the targets that are left where some rows are gone", async () => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "a", 3);
    raw.exec("delete from batch_target where idx = 1");
    expect((await store.status("a"))?.targets.map((target) => target.index)).toEqual([0, 2]);
    raw.exec("delete from batch_target");
    expect(await store.status("a")).toMatchObject({ job: { id: "a", targetsTotal: 3 }, targets: [] });
  });
});

test("R6: reads write nothing", async () => {
  const path = freshPath();
  const { store } = await openWithConnection(path);
  await admitJob(store, "a", 2);
  const raw = openRaw(path);
  // Another connection sees a new data version after each commit that changed the file.
  const version = () => raw.pragma("data_version", { simple: true });
  const before = version();
  const reads: ((store: BatchStore) => Promise<unknown>)[] = [
    (store) => store.status("a"),
    (store) => store.status("unknown"),
    (store) => store.findJob("a"),
    (store) => store.list({ caller: "ann" }),
    (store) => store.targetsAfter("a", -1, 5),
    (store) => store.timesAfter("a", -1, 5),
  ];
  for (const read of reads) await read(store);
  expect(version()).toBe(before);
  await store.touch("a", 5);
  expect(version()).not.toBe(before);
});
