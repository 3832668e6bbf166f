// Inside the time: every submit, every fetch and store, until no job is live. Outside: opening, and closing.
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createBatchRunner, openSqliteStore } from "fairbatch";
import { contend, timed } from "../support/contend.mjs";
import { observer } from "../support/observers.mjs";
import { expectStored } from "../support/stored-work.mjs";
import { batches, OPEN_CAPS, RESULT } from "../support/workload.mjs";

await contend(async (options) => {
  const {
    folder,
    targets,
    jobs,
    workers = 1,
    synchronous = "normal",
    inspect,
    fetchMs,
    turnaround,
    unshared,
  } = options;
  const path = join(folder, "batches.sqlite");
  const store = await openSqliteStore(path, { synchronous });
  const seenBy = await observer(inspect);
  const turns = turnaround ? watchTurnaround() : undefined;
  const runner = await createBatchRunner({
    store: unshared ? oneByOne(store) : store,
    ...OPEN_CAPS,
    workers,
    workersMax: workers,
    fetch: turns?.fetch ?? (fetchMs ? () => setTimeout(fetchMs, RESULT) : async () => RESULT),
    ...(turns ? { hooks: turns.hooks } : {}),
    ...(seenBy.inspect ? { inspect: seenBy.inspect } : {}),
  });
  const work = batches(targets, jobs);
  let submitMs = 0;
  const measured = await timed(targets, async (submitted) => {
    for (const batch of work) {
      const beganMs = performance.now();
      await runner.submit({ caller: { name: "bench" }, callerClass: "", targets: batch });
      submitMs = Math.max(submitMs, performance.now() - beganMs);
    }
    submitted();
    await runner.idle();
  });
  await runner.close();
  await seenBy.close();
  await store.close();
  expectStored(path, targets);
  return { ...measured, submitMs, ...turns?.percentiles() };
});

/** The same store, in which a write begins only after the one before is answered: none shares a transaction. */
function oneByOne(store) {
  let last = Promise.resolve();
  const alone =
    (write) =>
    (...request) => {
      const written = last.then(() => write(...request));
      last = written.catch(() => {});
      return written;
    };
  return { ...store, start: alone(store.start), settle: alone(store.settle), defer: alone(store.defer) };
}

/** From a target told as stored to the call of the next fetch, for one worker. */
function watchTurnaround() {
  const turns = [];
  let storedMs;
  return {
    fetch: async () => {
      if (storedMs !== undefined) turns.push(performance.now() - storedMs);
      return RESULT;
    },
    hooks: {
      target() {
        storedMs = performance.now();
      },
    },
    percentiles() {
      turns.sort((a, b) => a - b);
      const at = (share) => turns[Math.floor(turns.length * share)] * 1000;
      return { turnaroundP50: at(0.5), turnaroundP99: at(0.99) };
    },
  };
}
