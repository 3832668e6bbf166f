import { setImmediate as nextTurn } from "node:timers/promises";
import type { BatchStore } from "../store/batch-store.js";
import type { FetchOptions, TargetStatus } from "../target.js";

/** One page is in memory at a time, and the store makes it smaller where results are large. */
const PAGE = 100;

/** The targets of a job in index order, read in pages, between which the event loop turns. */
export async function* readResults<O extends object = FetchOptions>(
  store: BatchStore,
  id: string,
): AsyncGenerator<TargetStatus<O>> {
  let afterIndex = -1;
  for (;;) {
    const page = await store.targetsAfter<O>(id, afterIndex, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    afterIndex = last.index;
    await nextTurn();
  }
}
