import type { EventView } from "../protocol.js";
import type { World } from "./world.js";

export interface EventFilter {
  /** Parts of names, divided by spaces or commas: any of them fits. Empty: all. */
  actor: string;
  type: string;
  /** Only what this actor sent or got. */
  only: string | undefined;
}

/** The events that fit, the newest first. */
export function filteredEvents(world: World, events: readonly EventView[], filter: EventFilter): EventView[] {
  const actor = wordsOf(filter.actor);
  const type = wordsOf(filter.type);
  const fits = (event: EventView): boolean =>
    (filter.only === undefined || event.to === filter.only || event.from === filter.only) &&
    hasAny(type, event.type) &&
    (actor.length === 0 || actorsOf(event).some((id) => hasAny(actor, world.nameOf(id))));
  return events.filter(fits).reverse();
}

function actorsOf({ from, to }: EventView): string[] {
  return from === undefined ? [to] : [from, to];
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
