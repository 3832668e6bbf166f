import { expect, test } from "vitest";
import { heldFetch, settled } from "../../src/testing/index.js";
import { logIntoMemory } from "../support/log-lines.js";
import { startOnManualClock } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { storeWith } from "../support/store-with.js";
import { troubledStore } from "../support/troubled-store.js";

test("R5: a job cancelled while only eviction is left of its held write waits for that, and tries no write anew", async () => {
  const { store: real } = await openStoreFile();
  const { store, refused } = troubledStore(real);
  let evicted = () => {};
  const slow = storeWith(store, {
    evict: () =>
      new Promise((resolve) => {
        evicted = resolve;
      }),
  });
  const held = heldFetch();
  const { logger, warnings } = logIntoMemory();
  const options = { store: slow, fetch: held.fetch, logger, maxBytes: 1, retryWaitMs: 1_000 };
  const { runner, clock, submit } = await startOnManualClock(options);
  const id = await submit("ann", "a1", "a2");
  refused.add("settle");
  (await held.next()).succeed();
  await settled();
  refused.delete("settle");
  clock.jump(1_000);
  await settled();
  expect(await runner.cancel(id)).toBe(true);
  clock.jump(1_000);
  await settled();
  expect([clock.waits, warnings().map(({ msg }) => msg)]).toEqual([
    [],
    ["the store refused a write, which will be tried again"],
  ]);
  evicted();
  await runner.idle();
  expect([(await runner.status(id))?.job, clock.waits]).toMatchObject([{ status: "cancelled", targetsDone: 1 }, []]);
});
