import { expect, test } from "vitest";
import { heldFetch, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { logIntoMemory } from "../support/log-lines.js";
import { startOnManualClock } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

/** A job whose end alone is refused, by its own row, until `mend` is called; by then it has ended in memory. */
async function endedInMemory(options: { maxBytes?: number } = {}) {
  const { store, raw } = await openStoreFile();
  const log = logIntoMemory();
  const held = heldFetch();
  const config = { store, fetch: held.fetch, logger: log.logger, retryWaitMs: 1_000, retryForMs: 3_000, ...options };
  const started = await startOnManualClock(config);
  raw.exec(
    "create trigger no_end before update on batch_job when new.status = 'done' begin select raise(abort, 'x'); end",
  );
  const id = await started.submit("ann", "a");
  (await held.next()).succeed();
  const passTime = async (turns: number) => {
    for (let turn = 0; turn < turns; turn++) {
      await settled();
      started.clock.jump(1_000);
    }
    await settled();
  };
  await passTime(6);
  await started.runner.idle();
  return { ...started, raw, id, log, passTime, mend: () => raw.exec("drop trigger no_end") };
}

test("R8: an end that the store would not take is tried again every `retryWaitMs`, with nobody asking", async () => {
  const { raw, id, lines, clock, passTime, mend } = await endedInMemory();
  expect([jobRows(raw, id).job?.status, lines.slice(-2)]).toEqual(["running", ["job done", "jobSeconds"]]);
  mend();
  await passTime(2);
  expect([jobRows(raw, id).job?.status, clock.waits]).toEqual(["done", []]);
});

test("R3, R8: an end that is stored late is followed by eviction too", async () => {
  const { raw, id, passTime, mend } = await endedInMemory({ maxBytes: 1 });
  mend();
  await passTime(2);
  expect(jobRows(raw, id).job).toBeUndefined();
});

test("R5, R8: while its end is still refused, an ended job cannot be cancelled, and a watch says how it ended", async () => {
  const { runner, raw, id, lines } = await endedInMemory();
  expect(await runner.cancel(id)).toBe(false);
  const states: string[] = [];
  for await (const { status, targetsDone } of runner.watch(id)) states.push(`${status} ${targetsDone}`);
  expect([states, jobRows(raw, id).job?.status, lines.slice(-2)]).toEqual([
    ["done 1"],
    "running",
    ["job done", "jobSeconds"],
  ]);
});

test("R8: an end that is refused for long is logged with its job, once", async () => {
  const { id, log, passTime } = await endedInMemory();
  await passTime(100);
  const late = log.lines().filter(({ msg }) => String(msg).includes("late end"));
  expect(late).toMatchObject([{ level: 40, jobId: id }]);
});

test("R8: an end that many ask for at once is written once", async () => {
  const { runner, raw, id, submit, mend } = await endedInMemory();
  mend();
  await Promise.all([submit("ann", "b"), submit("ann", "c"), runner.cancel(id), submit("ann", "d")]);
  const result = JSON.stringify({ content: "a" });
  const bytes = raw.prepare("select nbytes from batch_job where id = ?").pluck().get(id);
  expect(bytes).toBe("a".length + "{}".length + result.length);
});
