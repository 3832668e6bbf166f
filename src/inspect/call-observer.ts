import type { InspectionEvent, Observer } from "xstate";

export type Inspect = (event: InspectionEvent) => void;

/** Calls an observer with what is made for it; whatever it throws, or rejects with later, is its own affair. */
export function callObserver(observer: Observer<InspectionEvent> | Inspect, make: () => InspectionEvent): void {
  try {
    const answer: unknown = typeof observer === "function" ? observer(make()) : observer.next?.(make());
    if (typeof answer === "object" && answer !== null) void ignoreRejection(answer);
  } catch {
    // The runner goes on unseen.
  }
}

async function ignoreRejection(answer: object): Promise<void> {
  try {
    // Not by its own `then`, which may throw.
    await answer;
  } catch {
    // Nobody waits for it.
  }
}
