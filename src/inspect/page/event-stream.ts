import type { EventView } from "../protocol.js";
import { byId, element, setAttributes, setText } from "./element.js";
import { filteredEvents } from "./event-filter.js";
import { stopwatch } from "./time-text.js";
import { WindowedList } from "./windowed-list.js";
import { EVENTS_MAX, shortId, type World } from "./world.js";

const ROW_HEIGHT = 24;

/** The stream of events, the newest on top. Paused, it stands still while more are kept. */
export class EventStream {
  readonly #list: WindowedList<EventView>;
  readonly #actor = byId<HTMLInputElement>("event-actor");
  readonly #type = byId<HTMLInputElement>("event-type");
  readonly #only = byId<HTMLInputElement>("event-only");
  readonly #pause = byId<HTMLButtonElement>("event-pause");
  #paused: { events: readonly EventView[]; seen: number } | undefined;
  #shown: EventView[] = [];
  #made = "";
  #world: World | undefined;

  constructor(repaint: () => void) {
    this.#list = new WindowedList(byId("events"), {
      rowHeight: ROW_HEIGHT,
      make: makeRow,
      fill,
    });
    for (const input of [this.#actor, this.#type, this.#only]) input.addEventListener("input", repaint);
    this.#pause.addEventListener("click", () => {
      this.#togglePause();
      repaint();
    });
  }

  /** `chosenId`: the actor that is chosen, if any; what it sends and gets can be singled out. */
  paint(world: World, chosenId: string | undefined): void {
    this.#world = world;
    this.#only.disabled = chosenId === undefined;
    const only = this.#only.checked ? chosenId : undefined;
    const filter = { actor: this.#actor.value, type: this.#type.value, only };
    const events = this.#paused?.events ?? world.events.slice(-EVENTS_MAX);
    const made = JSON.stringify([filter, this.#paused?.seen ?? world.eventsSeen]);
    if (made !== this.#made) {
      this.#made = made;
      const newest = this.#shown[0]?.id ?? 0;
      this.#shown = filteredEvents(events, filter);
      const added = this.#shown.findIndex(({ id }) => id <= newest);
      this.#list.show(this.#shown);
      if (added > 0) this.#list.shift(added);
    }
    this.#tell(world, events.length);
  }

  #togglePause(): void {
    const world = this.#world;
    if (world === undefined) return;
    this.#paused =
      this.#paused === undefined ? { events: world.events.slice(-EVENTS_MAX), seen: world.eventsSeen } : undefined;
  }

  #tell(world: World, kept: number): void {
    const count = this.#shown.length;
    const of = count === kept ? `${count}` : `${count} of ${kept}`;
    const newer = this.#paused === undefined ? 0 : world.eventsSeen - this.#paused.seen;
    const left = world.omitted.events === 0 ? "" : ` · ${world.omitted.events} left out`;
    setText(byId("event-count"), `${of}${left}${this.#paused === undefined ? "" : ` · paused, ${newer} newer`}`);
    setText(this.#pause, this.#paused === undefined ? "Pause" : "Resume");
    setAttributes(this.#pause, { "aria-pressed": String(this.#paused !== undefined) });
    const empty = byId("events-empty");
    empty.hidden = count > 0;
    setText(empty, emptyText(world, kept));
  }
}

function fill(row: HTMLElement, { atMs, fromName, toName, type, detail }: EventView): void {
  const [time, name, way, details] = row.children;
  if (!time || !name || !way || !details) return;
  setText(time, stopwatch(atMs));
  setText(name, type);
  setAttributes(name, { "data-noun": type.split(".")[0] });
  const source = fromName === undefined ? "" : `${shortId(fromName)} `;
  setText(way, `${source}→ ${shortId(toName)}`);
  const text = Object.entries(detail)
    .map(([key, value]) => `${key} ${typeof value === "number" ? Math.round(value * 10) / 10 : value}`)
    .join(", ");
  setText(details, text);
  setAttributes(details, { title: text });
}

function makeRow(): HTMLElement {
  const cells = ["time", "event", "way", "detail"].map((name) => element("span", { class: `event-${name}` }));
  return element("div", { class: "event-row" }, ...cells);
}

function emptyText(world: World, kept: number): string {
  if (world.source === "store") return "A store at rest has rows and no actors, so there are no events to see.";
  if (world.source === undefined) return "Waiting for the runner…";
  return kept === 0 ? "No event yet." : "No event fits the filter.";
}
