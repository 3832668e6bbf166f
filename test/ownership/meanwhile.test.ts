import { expect, onTestFinished, test } from "vitest";
import { type BatchStore, openSqliteStore } from "../../src/index.js";
import { OwnerProcess } from "../support/owner-process.js";
import { freshPath } from "../support/stores.js";

async function openStore(path: string): Promise<BatchStore> {
  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  return store;
}

async function closed(owner: OwnerProcess): Promise<string[]> {
  owner.tell({ command: "close" });
  await owner.told("closed");
  return owner.lines;
}

test("section 2: others read a store that somebody owns", async () => {
  const path = freshPath();
  const owner = await OwnerProcess.start(path);
  const id = await owner.submit("ann", "u:1", "u:2");
  await owner.told("fetch u:1");
  const store = await openStore(path);
  expect(await store.status(id)).toMatchObject({
    job: { id, status: "running", targetsDone: 0 },
    targets: [{ status: "running" }, { status: "pending" }],
  });
  owner.tell({ command: "answer" });
  await owner.told("fetch u:2");
  expect(await store.status(id)).toMatchObject({
    job: { id, status: "running", targetsDone: 1 },
    targets: [{ status: "done", result: { content: "u:1" } }, { status: "running" }],
  });
  owner.tell({ command: "answer" });
  await owner.told("job done");
  expect(await store.list({ caller: "ann" })).toMatchObject([{ id, status: "done", targetsDone: 2 }]);
});

test("R5, section 2: a cancel made elsewhere is found before the job's next target, and the owner's hook fires once", async () => {
  const path = freshPath();
  const owner = await OwnerProcess.start(path);
  const id = await owner.submit("ann", "u:1", "u:2", "u:3");
  await owner.told("fetch u:1");
  const store = await openStore(path);
  expect([await store.cancel(id), await store.cancel(id)]).toEqual([true, false]);
  owner.tell({ command: "answer" });
  await owner.told("job cancelled");
  await owner.told("depth 0");

  const lines = await closed(owner);
  expect(lines.filter((line) => /^(fetch|job|target)/.test(line))).toEqual([
    "job created",
    "fetch u:1",
    "target ok",
    "job cancelled",
  ]);
  expect(await store.status(id)).toMatchObject({
    job: { status: "cancelled", targetsDone: 1, targetsFailed: 0 },
    targets: [{ status: "done", result: { content: "u:1" } }, { status: "pending" }, { status: "pending" }],
  });
});

test("R5, section 2: a cancel made elsewhere during the last target wins: the target is stored and the job cancelled", async () => {
  const path = freshPath();
  const owner = await OwnerProcess.start(path);
  const id = await owner.submit("ann", "u:1");
  await owner.told("fetch u:1");
  const store = await openStore(path);
  expect(await store.cancel(id)).toBe(true);
  owner.tell({ command: "answer" });
  await owner.told("job cancelled");
  const lines = await closed(owner);
  expect(lines.filter((line) => line.startsWith("job"))).toEqual(["job created", "job cancelled"]);
  expect(await store.status(id)).toMatchObject({
    job: { status: "cancelled", targetsDone: 1 },
    targets: [{ status: "done" }],
  });
});

test("R5, section 2: a queued job cancelled elsewhere is never fetched, and the others go on", async () => {
  const path = freshPath();
  const owner = await OwnerProcess.start(path);
  await owner.submit("ann", "a:1", "a:2");
  await owner.told("fetch a:1");
  const cancelled = await owner.submit("bob", "b:1");
  await owner.submit("cat", "c:1");
  const store = await openStore(path);
  expect(await store.cancel(cancelled)).toBe(true);
  for (const url of ["a:1", "c:1", "a:2"]) {
    await owner.told(`fetch ${url}`);
    owner.tell({ command: "answer" });
  }
  await owner.told("depth 0");
  const lines = await closed(owner);
  expect(lines.filter((line) => line.startsWith("fetch"))).toEqual(["fetch a:1", "fetch c:1", "fetch a:2"]);
  expect(lines.filter((line) => line.startsWith("job")).sort()).toEqual([
    ...["job cancelled", "job created", "job created", "job created", "job done", "job done"],
  ]);
});

test("R1.3, section 2: a job cancelled elsewhere frees its caller's slot for the owner's next submit", async () => {
  const path = freshPath();
  const owner = await OwnerProcess.start(path);
  const store = await openStore(path);
  const ids: string[] = [];
  for (let job = 0; job < 8; job++) ids.push(await owner.submit("ann", `u:${job}`));
  expect(await store.cancel(ids[7]!)).toBe(true);
  const next = await owner.submit("ann", "u:next");
  expect((await store.findJob(next))?.status).toBe("queued");
});
