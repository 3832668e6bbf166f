import { expect, test } from "vitest";
import { runScript } from "../support/run-script.js";
import { freshPath } from "../support/stores.js";

test("a runner keeps nothing of the jobs that have ended, whatever their number", async () => {
  const { ended } = runScript(
    `const { setFlagsFromString } = await import("node:v8");
     const { runInNewContext } = await import("node:vm");
     setFlagsFromString("--expose-gc");
     const gc = runInNewContext("gc");
     const store = await fairbatch.openSqliteStore(":memory:");
     const runner = await fairbatch.createBatchRunner({ store, maxBytes: 2_000, fetch: async () => ({ content: "x" }) });
     const run = async (from, to) => {
       for (let job = from; job < to; job++) {
         const targets = [{ url: "u" }];
         await runner.submit({ caller: { name: "c" }, callerClass: "", targets, idempotencyKey: "k" + job });
         await runner.idle();
       }
       gc(); gc();
       return process.memoryUsage().heapUsed;
     };
     await run(0, 1_000);
     const before = await run(1_000, 2_000);
     const after = await run(2_000, 6_000);
     console.log(JSON.stringify({ bytesAJob: Math.round((after - before) / 4_000) }));
     await runner.close();`,
    freshPath(),
  );
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  // One remembered string a job was over 200 bytes; what the heap itself sways by is far below.
  expect(JSON.parse(stdout).bytesAJob).toBeLessThan(60);
});
