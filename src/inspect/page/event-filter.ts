import type { EventView } from "../protocol.js";

export interface EventFilter {
  /** Parts of names, divided by spaces or commas: any of them fits. Empty: all. */
  actor: string;
  type: string;
  /** Only what this actor sent or got. */
  only: string | undefined;
}

/** The events that fit, the newest first. */
export function filteredEvents(events: readonly EventView[], filter: EventFilter): EventView[] {
  const actor = wordsOf(filter.actor);
  const type = wordsOf(filter.type);
  const fits = (event: EventView): boolean =>
    (filter.only === undefined || event.to === filter.only || event.from === filter.only) &&
    hasAny(type, event.type) &&
    (hasAny(actor, event.toName) || (event.fromName !== undefined && hasAny(actor, event.fromName)));
  return events.filter(fits).reverse();
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== "");
}

function hasAny(words: readonly string[], text: string): boolean {
  return words.length === 0 || words.some((word) => text.toLowerCase().includes(word));
}
