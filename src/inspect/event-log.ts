import type { AnyEventObject } from "xstate";
import { type LivingActor, nameOf } from "./living-actor.js";
import type { EventView } from "./protocol.js";
import { Ring } from "./ring.js";
import { eachField, errorCode, isObject, type Visible, visible } from "./visible-fields.js";

const TOLD_MAX = 200;
const NOTHING_REVEALED: ReadonlySet<never> = new Set();

interface NotedEvent {
  id: number;
  atMs: number;
  from: LivingActor | undefined;
  to: LivingActor;
  event: AnyEventObject;
}

/** The newest events, as they came; they are looked into only where somebody is told of them. */
export class EventLog {
  readonly #events: Ring<NotedEvent>;
  #told = 0;

  constructor(size: number) {
    this.#events = new Ring(size);
  }

  note(atMs: number, from: LivingActor | undefined, to: LivingActor, event: AnyEventObject): void {
    this.#events.add({ id: this.#events.added + 1, atMs, from, to, event });
  }

  /** For whoever comes late; what came until now is told with it. */
  all(): EventView[] {
    this.#told = this.#events.added;
    return this.#events.newest(this.#events.added).map(eventView);
  }

  /** What came since it was last asked, and how many of those were left out. */
  changes(): { events: EventView[]; omitted: number } {
    const came = this.#events.added - this.#told;
    this.#told = this.#events.added;
    const events = this.#events.newest(Math.min(came, TOLD_MAX)).map(eventView);
    return { events, omitted: came - events.length };
  }
}

function eventView({ id, atMs, from, to, event }: NotedEvent): EventView {
  return {
    id,
    atMs,
    ...(from === undefined ? {} : { from: from.id, fromName: nameOf(from) }),
    to: to.id,
    toName: nameOf(to),
    type: event.type,
    detail: detailOf(event),
  };
}

function detailOf({ type: _, input, error, ...fields }: AnyEventObject): EventView["detail"] {
  const detail: Record<string, Visible> = errorCode(error);
  for (const source of [fields, input]) {
    if (!isObject(source)) continue;
    eachField(source, NOTHING_REVEALED, (name, field) => {
      const shown = visible(name, field) ?? actorName(field);
      if (shown !== undefined) detail[name] = shown;
    });
  }
  return detail;
}

/** Events name workers by their reference. Jobs, which all have their machine's id, they name by `jobId` too. */
function actorName(field: unknown): Visible | undefined {
  if (!isObject(field) || !("sessionId" in field && "id" in field && "logic" in field)) return undefined;
  return isObject(field.logic) && "id" in field.logic && field.logic.id === field.id
    ? undefined
    : visible("actorId", field.id);
}
