import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { observeStore } from "../../src/cli/observe-store.js";
import { ResultLines } from "../../src/cli/result-lines.js";
import type { BatchStore } from "../../src/store/batch-store.js";
import { openSqliteStore } from "../../src/store/open-sqlite-store.js";
import { settled } from "../../src/testing/index.js";
import { admitJob, openWithConnection } from "../support/stores.js";
import { jsonLines } from "./fairbatch-process.js";

let store: BatchStore;
let observed: BatchStore;
let lines: ResultLines;
let written: string;

beforeEach(async () => {
  store = await openSqliteStore(":memory:");
  written = "";
  lines = new ResultLines(store, (line) => {
    written += line;
  });
  observed = observeStore(store, {
    targetStarted() {},
    targetDeferred() {},
    targetStored: (id, { index }) => lines.stored(id, index),
    jobEnded() {},
  });
  for (const id of ["a", "b", "old"]) {
    await store.admit({
      id,
      caller: "me",
      callerClass: "",
      idempotencyKey: id,
      targets: Array.from({ length: 160 }, (_, index) => ({ url: `${id}${index}`, options: "{}" })),
      nowSeconds: 1,
      ttlMs: 1_000,
      limits: { targetsPerJob: 160, jobsPerCaller: 3, jobsTotal: 3 },
    });
  }
});
afterEach(() => store.close());

const settle = (jobId: string, ...indexes: number[]) =>
  observed.settle({
    jobId,
    outcomes: indexes.map((index) => ({ index, status: "done", result: "{}", error: "", hint: "", finishedAtMs: 1 })),
    targetsDone: 1,
    targetsFailed: 0,
    end: undefined,
  });

const urls = () => jsonLines(written).map(({ url }) => url);

test("targets that several workers store in one tick are printed in the order of storing", async () => {
  lines.open();
  await Promise.all([settle("b", 0), settle("a", 0), settle("a", 1, 2), settle("b", 1)]);
  await lines.printed();
  expect(urls()).toEqual(["b0", "a0", "a1", "a2", "b1"]);
});

test("what is stored before all files are named waits until they are", async () => {
  lines.name("a", "a.txt");
  await settle("a", 0);
  lines.name("old", "old.txt");
  lines.storedEarlier("old");
  expect(written).toBe("");
  lines.open();
  await lines.printed();
  expect(urls()).toEqual(["a0", ...Array.from({ length: 160 }, (_, index) => `old${index}`)]);
  expect(jsonLines(written)[0]).toMatchObject({ job: "a", file: "a.txt" });
});

test("no other target is printed for one that people deleted before its turn", async () => {
  const { store, connection } = await openWithConnection(":memory:");
  await admitJob(store, "a", 3);
  const waiting = new ResultLines(store, (line) => {
    written += line;
  });
  for (const index of [0, 1, 2]) waiting.stored("a", index);
  connection.exec("delete from batch_target where idx = 1");
  waiting.open();
  await waiting.printed();
  expect(urls()).toEqual(["u:0", "u:2"]);
});

test.each<[string, (lines: ResultLines) => void]>([
  ["as it is stored", (lines) => lines.stored("a", 0)],
  ["of an earlier run", (lines) => lines.storedEarlier("old")],
])("a target %s that cannot be read is told at the end, and breaks nothing off before", async (_when, print) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));

  const targetsAfter = () => Promise.reject(new Error("disk I/O error"));
  const failing = new ResultLines({ ...store, targetsAfter }, () => {});
  print(failing);
  failing.stored("b", 0);
  failing.open();
  await settled();
  expect(unhandled).toEqual([]);
  await expect(failing.printed()).rejects.toThrow("disk I/O error");
});
