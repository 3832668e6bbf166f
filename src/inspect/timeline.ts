import type { SpanView } from "./protocol.js";
import { Ring } from "./ring.js";

/** How many open ones whoever comes late is told of, and how many new ones a message tells. */
const OPEN_MAX = 1_000;
const NEW_MAX = 300;

/** The phases of targets: the open ones, and the newest of those that are over. */
export class Timeline {
  readonly #over: Ring<SpanView>;
  readonly #open = new Set<SpanView>();
  /** Of the open ones, those that a message held: their end has to be told. */
  readonly #told = new Set<SpanView>();
  readonly #ends = new Set<SpanView>();
  readonly #news = new Set<SpanView>();
  #omitted = 0;
  #nextId = 1;
  #watched = false;

  constructor(size: number) {
    this.#over = new Ring(size);
  }

  begin(span: Omit<SpanView, "id" | "toMs">): SpanView {
    const begun = { id: this.#nextId++, ...span };
    this.#open.add(begun);
    if (this.#watched) this.#addNew(begun);
    return begun;
  }

  end(span: SpanView, toMs: number): void {
    span.toMs = toMs;
    this.#open.delete(span);
    this.#over.add(span);
    if (!this.#watched) return;
    if (this.#told.delete(span)) this.#ends.add(span);
    else this.#addNew(span);
  }

  watch(watched: boolean): void {
    this.#watched = watched;
    this.#told.clear();
    this.#forget();
  }

  /** For whoever comes late; what changed until now is told with it. */
  all(): SpanView[] {
    this.#forget();
    const open = [...this.#open].slice(-OPEN_MAX);
    for (const span of open) this.#told.add(span);
    return [...this.#over.newest(this.#over.added), ...open];
  }

  /** What changed since it was last asked, and how many new ones were left out. */
  changes(): { spans: SpanView[]; omitted: number } {
    const news = [...this.#news];
    for (const span of news) if (span.toMs === undefined) this.#told.add(span);
    const changes = { spans: [...this.#ends, ...news], omitted: this.#omitted };
    this.#forget();
    return changes;
  }

  #forget(): void {
    this.#ends.clear();
    this.#news.clear();
    this.#omitted = 0;
  }

  #addNew(span: SpanView): void {
    this.#news.add(span);
    if (this.#news.size <= NEW_MAX) return;
    for (const oldest of this.#news) {
      this.#news.delete(oldest);
      this.#omitted++;
      return;
    }
  }
}
