// Makes a store that keeps ended jobs of one target each, their leases a second apart.
import { setTimeout } from "node:timers";
import { createBatchRunner, openSqliteStore } from "fairbatch";
import { contend } from "../support/contend.mjs";
import { jobTargets, OPEN_CAPS, RESULT } from "../support/workload.mjs";

const AT_ONCE = 500;

await contend(async ({ path, kept, firstLease }) => {
  let nowMs = firstLease * 1000;
  const clock = { now: () => nowMs, monotonic: () => performance.now(), setTimeout, clearTimeout };
  const store = await openSqliteStore(path);
  const runner = await createBatchRunner({ store, ...OPEN_CAPS, clock, fetch: async () => RESULT });
  for (let job = 0; job < kept; job++) {
    await runner.submit({ caller: { name: "bench" }, callerClass: "", targets: jobTargets(job, 1) });
    nowMs += 1000;
    if (job % AT_ONCE === AT_ONCE - 1) await runner.idle();
  }
  await runner.idle();
  await runner.close();
  await store.close();
  return {};
});
