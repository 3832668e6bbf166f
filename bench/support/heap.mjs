import { setTimeout } from "node:timers/promises";

/** Bytes in use once garbage is collected; needs `--expose-gc`. */
export async function collectedHeap() {
  await setTimeout(20);
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
