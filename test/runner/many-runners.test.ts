import { executionAsyncResource } from "node:async_hooks";
import { expect, test } from "vitest";
import { createBatchRunner } from "../../src/index.js";
import { openStoreFile } from "../support/store-file.js";

test("R8: however many runners there were, a promise costs the same", async () => {
  const { store } = await openStoreFile();
  const marks: number[] = [];
  for (let number = 0; number < 5; number++) {
    const fetch = () => {
      marks.push(Object.getOwnPropertySymbols(executionAsyncResource()).length);
      return { content: "" };
    };
    const runner = await createBatchRunner({ store, fetch });
    await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [{ url: `${number}` }] });
    await runner.idle();
    await runner.close();
  }
  expect(new Set(marks.slice(1))).toEqual(new Set([marks[1]]));
});
