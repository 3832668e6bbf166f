// BullMQ with one worker object of this concurrency, on a Redis server on the loopback interface. Jobs and their results are kept.
// Inside the time: adding the jobs, in as many bulks as fairbatch has submits, until the last is told as completed.
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { contend, timed } from "../support/contend.mjs";
import { batches, RESULT } from "../support/workload.mjs";

await contend(async ({ port, targets, jobs, workers }) => {
  const connection = new Redis({ host: "127.0.0.1", port, maxRetriesPerRequest: null });
  const queue = new Queue("bench", { connection });
  const worker = new Worker("bench", async () => RESULT, { connection, concurrency: workers });
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  const work = batches(targets, jobs).map((batch) => batch.map((data) => ({ name: "target", data })));
  let left = targets;
  const allCompleted = new Promise((resolve, reject) => {
    worker.on("completed", () => --left === 0 && resolve());
    worker.on("failed", (_job, error) => reject(error));
    worker.on("error", reject);
  });
  const measured = await timed(targets, async (submitted) => {
    for (const bulk of work) await queue.addBulk(bulk);
    submitted();
    await allCompleted;
  });
  const stored = await queue.getCompletedCount();
  if (stored !== targets) throw new Error(`${stored} of ${targets} jobs are completed`);
  return measured;
});
