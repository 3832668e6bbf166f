import { expect, test } from "vitest";
import { openSqliteStore, TargetError } from "../../src/index.js";
import { heldFetch } from "../../src/testing/index.js";
import { collect } from "../support/collect.js";
import { batchOf } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";
import { storeWith } from "../support/store-with.js";

const targets = (count: number) => Array.from({ length: count }, (_, index) => ({ url: `u:${index}` }));

test.each([1, 99, 100, 101, 200, 250])(
  "R6: results are all %i targets in index order, as status has them",
  async (count) => {
    const { runner } = await startRunner({
      targetsPerJob: 1_000,
      fetch: ({ url }, { index }) => {
        if (index % 7 === 3) throw new TargetError(`no ${url}`, { hint: `hint ${index}` });
        return { content: url };
      },
    });
    const { id } = await runner.submit(batchOf(targets(count)));
    await runner.idle();
    const results = await collect(runner.results(id));
    expect(results.map(({ index, url }) => ({ index, url }))).toEqual(
      targets(count).map(({ url }, index) => ({ index, url })),
    );
    expect(results).toEqual((await runner.status(id))?.targets);
  },
);

/** Counts how many targets were read of the store for results. */
async function startCounting() {
  const real = await openSqliteStore(":memory:");
  const read = { targets: 0 };
  const store = storeWith(real, {
    async targetsAfter(...args) {
      const page = await real.targetsAfter<never>(...args);
      read.targets += page.length;
      return page;
    },
  });
  const { runner } = await startRunner({ store, targetsPerJob: 1_000, fetch: () => ({ content: "" }) });
  const { id } = await runner.submit(batchOf(targets(250)));
  await runner.idle();
  return { runner, id, read };
}

test("R6: results are read in pages, and a reader who stops reads no further", async () => {
  const { runner, id, read } = await startCounting();
  const seen: number[] = [];
  for await (const { index } of runner.results(id)) {
    seen.push(index);
    if (index === 2) break;
  }
  expect(seen).toEqual([0, 1, 2]);
  expect(read.targets).toBeLessThan(250);
});

test("R6: between two pages the event loop turns", async () => {
  const { runner, id } = await startCounting();
  let turned = 0;
  const turn = () => {
    turned++;
    immediate = setImmediate(turn);
  };
  let immediate = setImmediate(turn);
  const turnedAt = new Set<number>();
  for await (const _ of runner.results(id)) turnedAt.add(turned);
  clearImmediate(immediate);
  expect(turnedAt.size).toBe(3);
});

test("R6: nothing is read before somebody reads", async () => {
  const { runner, id, read } = await startCounting();
  runner.results(id);
  expect(read.targets).toBe(0);
});

test("R6: results of a job that runs are the targets as they stand", async () => {
  const held = heldFetch();
  const { runner } = await startRunner({ fetch: held.fetch });
  const { id } = await runner.submit(batchOf(targets(3)));
  (await held.next()).succeed();
  await held.next();
  const results = await collect(runner.results(id));
  expect(results.map(({ index, status }) => `${index} ${status}`)).toEqual(["0 done", "1 running", "2 pending"]);
});
