import { expect, test } from "vitest";
import { openSqliteStore } from "../../src/index.js";
import { StoreProcess, soon } from "../support/store-process.js";
import { admitJob, freshPath, openRaw } from "../support/stores.js";

const ROUNDS = 10;

test("design 4: six processes that open a new file in the same millisecond all get a store", {
  timeout: 60_000,
}, async () => {
  const processes = await Promise.all(Array.from({ length: 6 }, () => StoreProcess.start()));
  for (let round = 0; round < ROUNDS; round++) {
    const path = freshPath();
    const atMs = soon();
    await Promise.all(processes.map((process) => process.tell({ command: "open", path, atMs })));
    const raw = openRaw(path);
    const made = raw.prepare("select name from kysely_migration order by name").pluck().all();
    expect(made).toEqual(["0001-create-tables", "0002-add-retry-state"]);
    expect(raw.pragma("integrity_check", { simple: true })).toBe("ok");
    const lists = await Promise.all(
      processes.map((process) => process.tell({ command: "call", calls: [["list"]], atMs: 0 })),
    );
    expect(lists).toEqual(processes.map(() => [[]]));
    await Promise.all(processes.map((process) => process.tell({ command: "close" })));
  }
});

test("design 4: six stores that one process opens on a new file at once all work", async () => {
  const path = freshPath();
  const opened = await Promise.allSettled(Array.from({ length: 6 }, () => openSqliteStore(path)));
  const stores = opened.flatMap((open) => (open.status === "fulfilled" ? [open.value] : []));
  await Promise.all(stores.map((store, index) => admitJob(store, `job ${index}`)));
  const listed = await stores[0]?.list();
  await Promise.all(stores.map((store) => store.close()));
  expect(opened.map((open) => (open.status === "rejected" ? open.reason : "open"))).toEqual(Array(6).fill("open"));
  expect(listed?.map((job) => job.id)).toEqual(["job 5", "job 4", "job 3", "job 2", "job 1", "job 0"]);
});
