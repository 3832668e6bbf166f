import type { BatchStore } from "../../src/index.js";

/** The real store, with some methods in the place of its own. */
export function storeWith(store: BatchStore, methods: Partial<BatchStore>): BatchStore {
  return Object.assign(Object.create(store), methods);
}
