// Importing the package, opening a file that does not exist yet, making a runner on it: in a process that has done nothing else.
import { join } from "node:path";
import { contend } from "../support/contend.mjs";

await contend(async ({ folder }) => {
  const beganMs = performance.now();
  const { createBatchRunner, openSqliteStore } = await import("fairbatch");
  const importedMs = performance.now();
  const store = await openSqliteStore(join(folder, "empty.sqlite"));
  const openedMs = performance.now();
  const runner = await createBatchRunner({ store, fetch: async () => ({ content: "" }) });
  const madeMs = performance.now();
  await runner.close();
  await store.close();
  return { importMs: importedMs - beganMs, openMs: openedMs - importedMs, createMs: madeMs - openedMs };
});
