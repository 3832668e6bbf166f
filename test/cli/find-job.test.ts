import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findJob } from "../../src/cli/find-job.js";
import type { BatchStore } from "../../src/store/batch-store.js";
import { openSqliteStore } from "../../src/store/open-sqlite-store.js";
import { endedJob } from "../support/stores.js";

/** The jobs are read in pages of 500. */
const PAGE = 500;

let store: BatchStore;
beforeEach(async () => {
  store = await openSqliteStore(":memory:");
});
afterEach(() => store.close());

/** The same store, in which somebody else removes the last jobs of the first page right after it was read. */
function removedBetweenPages(count: number): BatchStore {
  let pages = 0;
  return {
    ...store,
    async list(filter) {
      const page = await store.list(filter);
      if (pages++ === 0) for (const { id } of page.slice(page.length - count)) await store.withdraw(id);
      return page;
    },
  };
}

describe("jobs that are removed while a job is looked for", () => {
  beforeEach(async () => {
    await endedJob(store, "first");
    for (let index = 0; index < 2 * PAGE; index++) await endedJob(store, `job-${index}`);
  });

  test.each([0, 1, 3, PAGE])("hide no other: %i at the end of a page", async (count) => {
    await expect(findJob(removedBetweenPages(count), "fi")).resolves.toMatchObject({ id: "first" });
  });

  test.each([0, 1, 3, PAGE])("make none count twice: %i at the end of a page", async (count) => {
    await expect(findJob(removedBetweenPages(count), "job")).rejects.toThrow(`job: ${2 * PAGE} jobs begin so`);
  });
});

test.each([1, 3, PAGE])("a job is not found, once, where the last %i of all are removed meanwhile", async (count) => {
  for (let index = 0; index < PAGE; index++) await endedJob(store, `job-${index}`);
  await expect(findJob(removedBetweenPages(count), "x")).rejects.toMatchObject({
    message: "x: there is no such job",
    exitCode: 1,
  });
});
