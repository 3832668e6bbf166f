import { expect, test } from "vitest";
import { readResults } from "../../src/runner/read-results.js";
import { admitJob, freshPath, openRaw, openWithConnection } from "../support/stores.js";

/** The targets are read in pages of 100. */
const TARGETS = 240;

test.each([
  ["none", "false"],
  ["some", "idx between 20 and 60"],
  ["a page's", "idx between 40 and 139"],
  ["every other", "idx % 2 = 0"],
  ["the first", "idx < 120"],
  ["the last", "idx >= 100"],
  ["all", "true"],
])("each target is read once where people deleted rows by hand: %s", async (_which, deleted) => {
  const path = freshPath();
  const { store } = await openWithConnection(path);
  await admitJob(store, "a", TARGETS);
  const raw = openRaw(path);
  raw.prepare(`delete from batch_target where ${deleted}`).run();
  const left = raw.prepare("select idx from batch_target order by idx").pluck().all();

  const read: number[] = [];
  for await (const { index } of readResults(store, "a")) read.push(index);
  expect(read).toEqual(left);
});
