// Targets a second for no-op fetches, beside a plain loop over the same statements in the same transactions.
// Usage: npm run build && node bench/throughput.mjs [rounds] [targets] [jobs]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBatchRunner, openSqliteStore } from "../dist/index.js";
import { openConnection } from "../dist/store/connection.js";
import { jobStatements } from "../dist/store/job-statements.js";
import { targetProgress } from "../dist/store/target-progress.js";
import { targetStatements } from "../dist/store/target-statements.js";

const [rounds, targets, jobs] = [5, 20_000, 8].map((fallback, place) => Number(process.argv[2 + place] ?? fallback));
const result = { content: "x".repeat(180) };
const batches = Array.from({ length: jobs }, (_, job) =>
  Array.from({ length: targets / jobs }, (_, index) => ({
    url: `https://example.com/${"p".repeat(150)}/${job}/${index}`,
  })),
);

async function runnerRate(path) {
  const store = await openSqliteStore(path);
  const caps = { jobsPerCaller: jobs, jobsTotal: jobs, targetsPerJob: targets };
  const runner = await createBatchRunner({ store, ...caps, fetch: async () => result });
  for (const batch of batches) await runner.submit({ caller: { name: "bench" }, callerClass: "", targets: batch });
  const beganMs = performance.now();
  await runner.idle();
  const tookMs = performance.now() - beganMs;
  await runner.close();
  await store.close();
  return targets / (tookMs / 1000);
}

async function floorRate(path) {
  const store = await openSqliteStore(path);
  const ids = batches.map((_, job) => String(job).padStart(32, "0"));
  for (const [job, batch] of batches.entries()) {
    await store.admit({
      id: ids[job],
      caller: "bench",
      callerClass: "",
      idempotencyKey: ids[job],
      targets: batch.map(({ url }) => ({ url, options: "{}" })),
      nowSeconds: 0,
      ttlMs: 1_000,
      limits: { jobsPerCaller: jobs, jobsTotal: jobs, targetsPerJob: targets },
    });
  }
  const database = openConnection(path, "normal");
  const progress = targetProgress(database, jobStatements(database), targetStatements(database));
  const beganMs = performance.now();
  const last = targets / jobs - 1;
  for (let index = 0; index <= last; index++) {
    for (const jobId of ids) {
      progress.start({ jobId, index, startedAtMs: Date.now(), maxInterrupted: 3 });
      const outcome = {
        index,
        status: "done",
        result: JSON.stringify(result),
        error: "",
        hint: "",
        finishedAtMs: Date.now(),
      };
      const end = index === last ? "done" : undefined;
      progress.settle({ jobId, outcomes: [outcome], targetsDone: index + 1, targetsFailed: 0, end });
    }
  }
  const tookMs = performance.now() - beganMs;
  database.close();
  await store.close();
  return targets / (tookMs / 1000);
}

const folder = mkdtempSync(join(tmpdir(), "fairbatch-bench-"));
const ratios = [];
for (let round = 0; round < rounds; round++) {
  const floor = await floorRate(join(folder, `floor-${round}.sqlite`));
  const runner = await runnerRate(join(folder, `runner-${round}.sqlite`));
  ratios.push(runner / floor);
  console.log(
    `round ${round + 1}: ${runner.toFixed(0)} targets/s, plain loop ${floor.toFixed(0)}, ratio ${(runner / floor).toFixed(2)}`,
  );
}
rmSync(folder, { recursive: true });
console.log(`median ratio ${ratios.sort((a, b) => a - b)[Math.floor(rounds / 2)].toFixed(2)}`);
