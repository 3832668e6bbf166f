// Heap that live jobs hold, in bytes a job: what is left after collecting garbage, less what was there before them.
import { join } from "node:path";
import { contend } from "../support/contend.mjs";
import { collectedHeap } from "../support/heap.mjs";
import { heldRunner } from "../support/held-runner.mjs";

await contend(async ({ folder, live, waiting }) => {
  const held = await heldRunner(join(folder, "memory.sqlite"));
  const add = (count) => (waiting ? held.addWaiting(count) : held.addReady(count, 2));
  await add(100);
  const before = await collectedHeap();
  await add(live);
  const bytes = (await collectedHeap()) - before;
  await held.end();
  return { bytes: bytes / live };
});
