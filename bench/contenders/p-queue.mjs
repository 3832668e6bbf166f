// p-queue keeps nothing beyond the process: results are kept as JSON in an array. The ceiling of what no store could reach.
// Inside the time: adding the work until all of it is done.
import PQueue from "p-queue";
import { contend, timed } from "../support/contend.mjs";
import { batches, RESULT } from "../support/workload.mjs";

await contend(async ({ targets, jobs, workers }) => {
  const queue = new PQueue({ concurrency: workers });
  const fetch = async () => RESULT;
  const results = [];
  const work = batches(targets, jobs);
  const measured = await timed(targets, async (submitted) => {
    for (const batch of work) {
      for (const target of batch) void queue.add(async () => results.push(JSON.stringify(await fetch(target))));
    }
    submitted();
    await queue.onIdle();
  });
  if (results.length !== targets) throw new Error(`${results.length} of ${targets} results are kept`);
  return measured;
});
