import type { BatchStore } from "../store/batch-store.js";
import type { TargetStatus } from "../target.js";

/** Results may be large, and one page is in memory at a time. */
const PAGE = 50;

/** The targets of a job in index order, read in pages. */
export async function* jobTargets(store: BatchStore, id: string): AsyncGenerator<TargetStatus<object>> {
  let afterIndex = -1;
  for (;;) {
    const page = await store.targetsAfter<object>(id, afterIndex, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    afterIndex = last.index;
  }
}
