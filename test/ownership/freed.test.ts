import { expect, onTestFinished, test, vi } from "vitest";
import { type BatchStore, createBatchRunner, openSqliteStore } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { OwnerProcess } from "../support/owner-process.js";
import { freshPath, openRaw, PLACES } from "../support/stores.js";

const IN_USE = { code: "ERR_STORE_IN_USE" };
const fetch = () => ({ content: "" });

async function openStore(path: string): Promise<BatchStore> {
  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  return store;
}

test.each(PLACES)(
  "section 2: close() gives the store back, so that it can be owned again and again, in %s",
  async (place) => {
    const store = await openStore(place === "memory" ? ":memory:" : freshPath());
    for (let round = 0; round < 3; round++) {
      const runner = await createBatchRunner({ store, fetch });
      await expect(createBatchRunner({ store, fetch })).rejects.toMatchObject(IN_USE);
      await Promise.all([runner.close(), runner.close()]);
    }
  },
);

test.each(PLACES)(
  "section 2: a runner that closes once more takes nothing from the next owner, in %s",
  async (place) => {
    const store = await openStore(place === "memory" ? ":memory:" : freshPath());
    const first = await createBatchRunner({ store, fetch });
    await first.close();
    const second = await createBatchRunner({ store, fetch });
    await first.close();
    await expect(createBatchRunner({ store, fetch })).rejects.toMatchObject(IN_USE);
    await second.close();
  },
);

test.each(PLACES)("section 2: giving a store back twice takes nothing from the next owner, in %s", async (place) => {
  const store = await openStore(place === "memory" ? ":memory:" : freshPath());
  const giveBack = await store.own();
  await giveBack();
  const giveBackNext = await store.own();
  await giveBack();
  await expect(store.own()).rejects.toMatchObject(IN_USE);
  await giveBackNext();
  await (await store.own())();
});

test("R8: a runner that is closed as soon as it is made writes nothing to the console of its host", async () => {
  const consoles = [vi.spyOn(console, "warn"), vi.spyOn(console, "error"), vi.spyOn(console, "log")];
  onTestFinished(() => {
    for (const spy of consoles) spy.mockRestore();
  });
  const runner = await createBatchRunner({ store: await openStore(":memory:"), fetch });
  await runner.close();
  await settled();
  expect(consoles.flatMap((spy) => spy.mock.calls)).toEqual([]);
});

test.each(PLACES)("section 2: a runner that could not be made gives the store back, in %s", async (place) => {
  const store = await openStore(place === "memory" ? ":memory:" : freshPath());
  const broken: BatchStore = {
    ...store,
    recover: async () => {
      throw new Error("disk full");
    },
  };
  await expect(createBatchRunner({ store: broken, fetch })).rejects.toThrow("disk full");
  await expect(createBatchRunner({ store, fetch, workers: -1 })).rejects.toThrow(RangeError);
  const runner = await createBatchRunner({ store, fetch });
  await runner.close();
});

test("section 2: a store is free for another process once close() has resolved, not before", async () => {
  const path = freshPath();
  const store = await openStore(path);
  const runner = await createBatchRunner({ store, fetch });
  const refused = await OwnerProcess.start(path);
  await runner.close();
  const owner = await OwnerProcess.start(path);
  expect([refused.lines, owner.lines]).toEqual([["refused ERR_STORE_IN_USE"], ["owned"]]);
});

test.each([
  ["closes its runner", "close", undefined],
  ["exits without a word", "exit", 0],
  ["dies of an uncaught error", "throw", 1],
  ["aborts", "abort", "SIGABRT"],
] as const)("section 2: a store is free at once when its owner %s", async (_name, command, code) => {
  const path = freshPath();
  const owner = await OwnerProcess.start(path);
  await owner.submit("ann", "u:1");
  await owner.told("fetch u:1");
  const store = await openStore(path);
  await expect(createBatchRunner({ store, fetch })).rejects.toMatchObject(IN_USE);
  owner.tell({ command });
  if (command === "close") {
    owner.tell({ command: "answer" });
    await owner.told("closed");
  } else {
    expect(await owner.ended).toBe(code);
  }
  const runner = await createBatchRunner({ store, fetch });
  await runner.close();
});

test("section 2: a store is free at once when its owner is killed, ten times over", { timeout: 60_000 }, async () => {
  const path = freshPath();
  for (let round = 0; round < 10; round++) {
    const owner = await OwnerProcess.start(path);
    expect(owner.lines).toEqual(["owned"]);
    await owner.kill();
  }
  expect(openRaw(path).pragma("integrity_check", { simple: true })).toBe("ok");
});
