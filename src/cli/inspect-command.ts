import { createStoreInspector } from "../inspect/store-inspector.js";
import type { BatchStore } from "../store/batch-store.js";
import { type InspectOptions, inspectorAddress, listening } from "./inspect-options.js";
import { withExistingStore } from "./open-store.js";
import { onStop } from "./stop-signals.js";

/** `fairbatch inspect`: serves the page over a store, whoever works on it, until it is told to stop. */
export function inspectCommand(db: string, options: InspectOptions): Promise<number> {
  return withExistingStore(db, (store) => inspectStore(store, options), "");
}

async function inspectStore(store: BatchStore, options: InspectOptions): Promise<number> {
  const inspector = createStoreInspector({ store, ...inspectorAddress(options) });
  // Looking keeps no process alive, but this one has nothing else to do.
  const alive = setInterval(() => {}, 60_000);
  let release = () => {};
  const stopped = new Promise<void>((resolve) => {
    release = onStop(() => resolve());
  });
  try {
    process.stderr.write(`inspector: ${await listening(inspector, options)}\n`);
    await stopped;
    return 0;
  } finally {
    release();
    clearInterval(alive);
    await inspector.close();
  }
}
