import { expect, test } from "vitest";
import { BatchError, createBatchRunner } from "../../src/index.js";
import { openMemoryStore } from "../../src/testing/index.js";

const fetch = ({ url }: { url: string }) => ({ content: url });

test("openMemoryStore: each call opens a store of its own, which one runner may hold", async () => {
  const [first, second] = [await openMemoryStore(), await openMemoryStore()];
  const runner = await createBatchRunner({ store: first, fetch });
  const { id } = await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [{ url: "a" }] });
  await runner.idle();
  await expect(createBatchRunner({ store: first, fetch })).rejects.toEqual(new BatchError("ERR_STORE_IN_USE"));
  await using other = await createBatchRunner({ store: second, fetch });
  expect([(await runner.status(id))?.job.status, await other.status(id)]).toEqual(["done", undefined]);
  await runner.close();
  await first.close();
});
