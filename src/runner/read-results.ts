import type { BatchStore } from "../store/batch-store.js";
import type { FetchOptions, TargetStatus } from "../target.js";

/** Results may be large, and one page is in memory at a time. */
const PAGE = 100;

/** The targets of a job in index order, read in pages. */
export async function* readResults<O extends object = FetchOptions>(
  store: BatchStore,
  id: string,
): AsyncGenerator<TargetStatus<O>> {
  let afterIndex = -1;
  for (;;) {
    const page = await store.targetsAfter<O>(id, afterIndex, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    afterIndex = last.index;
  }
}
