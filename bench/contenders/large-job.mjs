// One job of very many targets: what a target costs, and with `heap` what the job adds to the heap while it runs: the most
// that is seen at five places of the job, garbage collected, less what was there before its submit.
import { join } from "node:path";
import { createBatchRunner, openSqliteStore } from "fairbatch";
import { contend, timed } from "../support/contend.mjs";
import { collectedHeap } from "../support/heap.mjs";
import { jobTargets, OPEN_CAPS, RESULT } from "../support/workload.mjs";

const PLACES = 5;

await contend(async ({ folder, targets, heap }) => {
  const store = await openSqliteStore(join(folder, "large.sqlite"));
  const heaps = [];
  const every = Math.floor(targets / PLACES);
  const fetch = async (_target, { index }) => {
    if (heap && index % every === every - 1) heaps.push(await collectedHeap());
    return RESULT;
  };
  const runner = await createBatchRunner({ store, ...OPEN_CAPS, fetch });
  const submit = (number, count) =>
    runner.submit({ caller: { name: "bench" }, callerClass: "", targets: jobTargets(number, count) });
  // The first job leaves behind what any job would.
  await submit(0, Math.min(targets, 2_000));
  await runner.idle();
  const before = heap ? await collectedHeap() : 0;
  heaps.length = 0;
  let submitMs;
  const measured = await timed(targets, async (submitted) => {
    const beganMs = performance.now();
    await submit(1, targets);
    submitMs = performance.now() - beganMs;
    submitted();
    await runner.idle();
  });
  await runner.close();
  await store.close();
  if (heap) return { addedKb: (Math.max(...heaps) - before) / 1024 };
  return { ...measured, submitMs };
});
