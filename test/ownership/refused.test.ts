import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type BatchRunner, type BatchStore, createBatchRunner, openSqliteStore } from "../../src/index.js";
import { OwnerProcess } from "../support/owner-process.js";
import { freshPath, PLACES } from "../support/stores.js";

const IN_USE = { name: "BatchError", code: "ERR_STORE_IN_USE" };

async function openStore(path: string): Promise<BatchStore> {
  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  return store;
}

/** A runner that is closed when the test ends. */
async function createRunner(store: BatchStore): Promise<BatchRunner> {
  const runner = await createBatchRunner({ store, fetch: () => ({ content: "" }) });
  onTestFinished(() => runner.close());
  return runner;
}

test.each(PLACES)("section 2: a second runner on the same store is refused, in %s", async (place) => {
  const store = await openStore(place === "memory" ? ":memory:" : freshPath());
  const runner = await createRunner(store);
  for (let attempt = 0; attempt < 2; attempt++) await expect(createRunner(store)).rejects.toMatchObject(IN_USE);
  const { id } = await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [{ url: "u:1" }] });
  await runner.idle();
  expect((await store.findJob(id))?.status).toBe("done");
});

test("section 2: a second runner is refused with a second store of the same process on the same file", async () => {
  const path = freshPath();
  await createRunner(await openStore(path));
  const second = await openStore(path);
  await expect(createRunner(second)).rejects.toMatchObject(IN_USE);
});

test("section 2: a second runner is refused by another copy of the package in the process, and where the owner's file was removed", async () => {
  const path = freshPath();
  const owner = await createRunner(await openStore(path));
  rmSync(`${path}-owner`);
  const second = await openStore(path);
  await expect(createRunner(second)).rejects.toMatchObject(IN_USE);
  vi.resetModules();
  const copy = await import("../../src/index.js");
  expect(copy.openSqliteStore).not.toBe(openSqliteStore);
  const third = await copy.openSqliteStore(path);
  onTestFinished(() => third.close());
  await expect(copy.createBatchRunner({ store: third, fetch: () => ({ content: "" }) })).rejects.toMatchObject(IN_USE);
  await owner.close();
  await (await copy.createBatchRunner({ store: third, fetch: () => ({ content: "" }) })).close();
});

test("section 2: a second runner in another process is refused, and one in this process while the other has it", async () => {
  const path = freshPath();
  const first = await OwnerProcess.start(path);
  expect(first.lines).toEqual(["owned"]);
  const second = await OwnerProcess.start(path);
  expect(second.lines).toEqual(["refused ERR_STORE_IN_USE"]);
  await expect(createRunner(await openStore(path))).rejects.toMatchObject(IN_USE);
});

/** With the rights of a user who owns no file. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const { geteuid, seteuid } = process;
  // Who is not root has no right to write a file of mode 444 either.
  if (geteuid?.() !== 0 || seteuid === undefined) return work();
  seteuid(65_534);
  try {
    return await work();
  } finally {
    seteuid(0);
  }
}

test("section 2: who may not write the owner's file owns nothing, since SQLite would keep nobody else out", async () => {
  const path = freshPath();
  chmodSync(dirname(path), 0o755);
  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  writeFileSync(`${path}-owner`, "");
  chmodSync(`${path}-owner`, 0o444);
  await expect(asNobody(() => store.own())).rejects.toMatchObject({ code: "SQLITE_READONLY" });
});

test("section 2: the lock outlives every refused attempt of its own process, although each closes a handle", async () => {
  const path = freshPath();
  const store = await openStore(path);
  await createRunner(store);
  const second = await openStore(path);
  await expect(createRunner(store)).rejects.toMatchObject(IN_USE);
  await expect(createRunner(second)).rejects.toMatchObject(IN_USE);
  await second.close();
  const other = await OwnerProcess.start(path);
  expect(other.lines).toEqual(["refused ERR_STORE_IN_USE"]);
});

test("section 2: a second runner is refused through a symlink to the file, to its folder, and by another spelling", async () => {
  const path = freshPath();
  await createRunner(await openStore(path));
  const elsewhere = join(dirname(path), "elsewhere");
  mkdirSync(elsewhere);
  symlinkSync(path, join(elsewhere, "link.db"));
  symlinkSync(dirname(path), join(elsewhere, "folder"));
  const spellings = [
    join(elsewhere, "link.db"),
    join(elsewhere, "folder", basename(path)),
    `${elsewhere}/../${basename(path)}`,
  ];
  for (const spelling of spellings) {
    await expect(createRunner(await openStore(spelling))).rejects.toMatchObject(IN_USE);
    const other = await OwnerProcess.start(spelling);
    expect(other.lines).toEqual(["refused ERR_STORE_IN_USE"]);
  }
});

test("section 2: the one that owns through a symlink keeps out the one that names the file itself", async () => {
  const path = freshPath();
  await (await openSqliteStore(path)).close();
  const link = `${path}-link`;
  symlinkSync(path, link);
  await createRunner(await openStore(link));
  await expect(createRunner(await openStore(path))).rejects.toMatchObject(IN_USE);
});

test("section 2: there is no heartbeat: an owner that stands still keeps its store", async () => {
  const path = freshPath();
  const owner = await OwnerProcess.start(path);
  owner.signal("SIGSTOP");
  const store = await openStore(path);
  await expect(createRunner(store)).rejects.toMatchObject(IN_USE);
  await owner.kill();
  await createRunner(store);
});

test("section 2: an owner whose process refers to its runner no more keeps its store all the same", async () => {
  const path = freshPath();
  const owner = await OwnerProcess.start(path);
  owner.tell({ command: "forget" });
  await owner.told("forgotten");
  await expect(createRunner(await openStore(path))).rejects.toMatchObject(IN_USE);
});

test("section 2: stores in memory, and different files of one folder, are owned each for itself", async () => {
  const path = freshPath();
  await createRunner(await openStore(path));
  await createRunner(await openStore(`${path}2`));
  await createRunner(await openStore(":memory:"));
  await createRunner(await openStore(":memory:"));
});

test("section 2: what owning leaves beside the database holds nothing", async () => {
  const path = freshPath();
  const store = await openSqliteStore(path);
  const runner = await createRunner(store);
  await runner.close();
  await store.close();
  const left = readdirSync(dirname(path)).filter((name) => name !== basename(path));
  expect(left.map((name) => statSync(join(dirname(path), name)).size)).toEqual(left.map(() => 0));
});
