// Heap that a runner holds for one job of 100,000 targets, and for 5,000 live jobs.
// Usage: npm run build && node --expose-gc bench/memory.mjs
import { createBatchRunner, openSqliteStore } from "../dist/index.js";

const settle = () => new Promise((resolve) => setTimeout(resolve, 50));

async function heap() {
  await settle();
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** A runner over a store in memory whose fetch never answers. */
async function hangingRunner() {
  const store = await openSqliteStore(":memory:");
  const caps = { jobsPerCaller: 10_000, jobsTotal: 10_000, targetsPerJob: 100_000 };
  const runner = await createBatchRunner({ store, ...caps, fetch: () => new Promise(() => {}) });
  const submit = (targets, key) =>
    runner.submit({ caller: { name: "bench" }, callerClass: "", targets, idempotencyKey: String(key) });
  return {
    submit,
    async end() {
      await runner.close({ timeoutMs: 1 });
      await store.close();
    },
  };
}

async function grownBy(work) {
  const { submit, end } = await hangingRunner();
  await submit([{ url: "first" }], "first");
  const before = await heap();
  await work(submit);
  const grown = (await heap()) - before;
  await end();
  return grown;
}

const large = await grownBy((submit) =>
  submit(
    Array.from({ length: 100_000 }, (_, index) => ({ url: `https://example.com/${index}` })),
    "large",
  ),
);
console.log(`one job of 100,000 targets: ${(large / 1024).toFixed(0)} KB`);
const many = await grownBy(async (submit) => {
  for (let job = 0; job < 5_000; job++) await submit([{ url: "page" }, { url: "other" }], job);
});
console.log(`5,000 live jobs: ${(many / 1024 / 1024).toFixed(1)} MB, ${(many / 5_000 / 1024).toFixed(1)} KB each`);
