import { expect, test } from "vitest";
import { RetryLaterError } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { startOnManualClock } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { troubledStore } from "../support/troubled-store.js";

/** A job of two targets whose first outcome the store has refused for so long that it is only in memory; the second is in flight. */
async function startWithOutcomeInMemory() {
  const { store: real, raw } = await openStoreFile();
  const { store, refused } = troubledStore(real);
  const held = heldFetch();
  const started = await startOnManualClock({ store, fetch: held.fetch, retryWaitMs: 1_000, retryForMs: 3_000 });
  const id = await started.submit("ann", "a", "b");
  const first = await held.next();
  refused.add("settle");
  first.succeed();
  for (let time = 0; time < 5; time++) {
    await settled();
    started.clock.jump(1_000);
  }
  const second = await held.next();
  expect(started.lines).toContain("target ok 15");
  expect(jobRows(raw, id).targets).toEqual(["running", "running"]);
  return { ...started, refused, raw, id, second };
}

const stored = {
  job: { status: "cancelled", error: "", done: 1, failed: 0 },
  targets: ["done", "pending"],
};

test("R8: an outcome that was told from memory is stored though its job is cancelled before it writes again", async () => {
  const { runner, clock, refused, raw, id, second } = await startWithOutcomeInMemory();
  second.fail(new RetryLaterError());
  await settled();
  expect(await runner.cancel(id)).toBe(true);
  for (let time = 0; time < 3; time++) {
    clock.jump(1_000);
    await settled();
  }
  expect(jobRows(raw, id).targets).toEqual(["running", "pending"]);
  refused.clear();
  clock.jump(1_000);
  await settled();
  expect(jobRows(raw, id)).toEqual(stored);
  const bytes = raw.prepare("select nbytes from batch_job where id = ?").pluck();
  const before = bytes.get(id);
  clock.jump(10_000);
  await settled();
  expect([jobRows(raw, id), bytes.get(id)]).toEqual([stored, before]);
});

test("R8: and though it is cancelled with a target in flight that is then put back", async () => {
  const { runner, clock, refused, raw, lines, id, second } = await startWithOutcomeInMemory();
  expect(await runner.cancel(id)).toBe(true);
  second.fail(new RetryLaterError());
  await settled();
  refused.clear();
  clock.jump(1_000);
  await settled();
  expect(jobRows(raw, id)).toEqual(stored);
  expect(lines.filter((line) => line.startsWith("job "))).toEqual(["job created", "job cancelled"]);
});

test("R8: and closing the runner writes it too", async () => {
  const { runner, refused, raw, id, second } = await startWithOutcomeInMemory();
  second.fail(new RetryLaterError());
  await settled();
  await runner.cancel(id);
  refused.clear();
  await runner.close();
  expect(jobRows(raw, id)).toEqual(stored);
});
