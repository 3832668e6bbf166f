import type { ServerResponse } from "node:http";
import { type Clock, systemClock } from "../clock.js";
import type { Hello, Update } from "./protocol.js";

/** What viewers are told of. `watch` is given what to call at each change, and undefined once nobody looks any more. */
export interface Feed {
  watch(tell: (() => void) | undefined): void;
  hello(): Hello;
  /** What changed since the last hello or update. */
  update(): Update;
}

interface Viewer {
  readonly response: ServerResponse;
  /** It was told all there was, so that it can be told changes. */
  current: boolean;
  /** Since when what was written last has not been read. */
  unreadSinceMs: number | undefined;
}

const APART_MS = 100;
const UNREAD_MAX_MS = 60_000;

/**
 * Everybody who looks at one inspector. Changes are gathered, and told ten times a second at most. Nothing is queued: who is slow
 * misses changes, and is greeted anew once it has read what it was sent.
 */
export class Viewers {
  readonly #feed: Feed;
  readonly #max: number;
  readonly #clock: Required<Clock>;
  readonly #viewers = new Set<Viewer>();
  #timer: unknown;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(feed: Feed, max: number, clock: Required<Clock> = systemClock) {
    this.#feed = feed;
    this.#max = max;
    this.#clock = clock;
  }

  get full(): boolean {
    return this.#viewers.size >= this.#max;
  }

  /** Tells it all there is to see, and what changes, until it goes. */
  add(response: ServerResponse): void {
    const viewer: Viewer = { response, current: false, unreadSinceMs: undefined };
    response.on("drain", () => {
      viewer.unreadSinceMs = undefined;
      if (!viewer.current) this.#tellSoon();
    });
    response.on("close", () => this.#remove(viewer));
    this.#viewers.add(viewer);
    if (this.#viewers.size === 1) this.#feed.watch(() => this.#tellSoon());
    this.#tellSoon();
  }

  /** Tells what is still untold, and that this was all; ends every stream. */
  close(): void {
    if (this.#timer !== undefined) this.#tellNow();
    for (const { response } of this.#viewers) response.end("event: end\ndata: {}\n\n");
    for (const viewer of this.#viewers) this.#remove(viewer);
  }

  #remove(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return;
    this.#feed.watch(undefined);
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #tellSoon(): void {
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#lastMs + APART_MS - this.#clock.monotonic());
    this.#timer = this.#clock.setTimeout(() => this.#tellNow(), waitMs);
    // Looking at a process must not keep it alive.
    (this.#timer as { unref?(): void }).unref?.();
  }

  #tellNow(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lastMs = this.#clock.monotonic();
    try {
      this.#tell();
    } catch {
      // Whatever is wrong with what is shown, the runner goes on.
      for (const viewer of this.#viewers) viewer.response.destroy();
      for (const viewer of this.#viewers) this.#remove(viewer);
    }
  }

  #tell(): void {
    const [current, others] = [[] as Viewer[], [] as Viewer[]];
    for (const viewer of this.#viewers) (viewer.current ? current : others).push(viewer);
    if (current.length > 0) this.#write(current, "update", this.#feed.update());
    const unread = others.filter((viewer) => viewer.unreadSinceMs === undefined);
    if (unread.length > 0) this.#write(unread, "hello", this.#feed.hello());
    for (const { response, unreadSinceMs = Number.POSITIVE_INFINITY } of this.#viewers) {
      if (this.#lastMs - unreadSinceMs > UNREAD_MAX_MS) response.destroy();
    }
  }

  #write(viewers: readonly Viewer[], name: "hello" | "update", message: Hello | Update): void {
    const text = `event: ${name}\ndata: ${JSON.stringify(message)}\n\n`;
    for (const viewer of viewers) {
      viewer.current = viewer.unreadSinceMs === undefined;
      if (viewer.current && !viewer.response.write(text)) viewer.unreadSinceMs = this.#lastMs;
    }
  }
}
