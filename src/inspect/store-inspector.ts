import { type InspectorServer, inspectorServer } from "./inspector-server.js";
import { type Revealable, readReveal } from "./reveal.js";
import { StoreHistory, type WatchedStore } from "./store-history.js";
import { type ReadableStore, targetPages } from "./target-page.js";

export interface StoreInspectorOptions {
  store: WatchedStore & ReadableStore;
  port?: number;
  host?: string;
  reveal?: readonly Revealable[];
}

/** The same page over rows alone: those of a store that another process works on, or of one at rest. */
export function createStoreInspector(options: StoreInspectorOptions): InspectorServer {
  const { store, port = 0, host = "127.0.0.1", reveal } = options;
  const revealed = readReveal(reveal);
  return inspectorServer({
    host,
    port,
    feed: new StoreHistory(store, revealed),
    targets: targetPages(store, revealed),
  });
}
