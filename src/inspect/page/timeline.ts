import type { SpanView } from "../protocol.js";
import type { Choice } from "./choice.js";
import { byId, element, setAttributes, setText } from "./element.js";
import { durationText, stopwatch } from "./time-text.js";
import { TimeWindow } from "./time-window.js";
import { JobNumbers, type Lane, lanesWithin, latestMoment, phaseShares } from "./timeline-lanes.js";
import { AXIS_HEIGHT, LANE_HEIGHT, paintTimeline, type Scene, xOf } from "./timeline-paint.js";
import { TimelinePalette } from "./timeline-palette.js";
import { shortId, type World } from "./world.js";

const FRAME_MS = 24;
const PHASES = ["starting", "fetching", "storing", "idle"] as const;

interface Ways {
  choose(choice: Choice): void;
  /** The inspector's clock now, between two messages too. */
  now(): number;
}

/** The timeline: lanes drawn on a canvas that covers what is in sight, so that its size bounds the work. */
export class Timeline {
  readonly #scroller = byId("timeline");
  readonly #canvas = element("canvas", { role: "img" });
  readonly #spacer = element("div", { class: "timeline-spacer" });
  readonly #tip = element("div", { class: "tip", hidden: true });
  readonly #empty = element("p", { class: "empty" });
  readonly #window = new TimeWindow();
  readonly #numbers = new JobNumbers();
  readonly #isCalm = matchMedia("(prefers-reduced-motion: reduce)");
  readonly #palette = new TimelinePalette(() => this.#draw());
  readonly #ways: Ways;
  #world: World | undefined;
  #chosenJob: string | undefined;
  #scene: Scene | undefined;
  #size = { width: 0, height: 0 };
  #isAnimated = false;
  #isFitted = false;

  constructor(ways: Ways) {
    this.#ways = ways;
    this.#scroller.append(this.#canvas, this.#spacer, this.#empty);
    document.body.append(this.#tip);
    new ResizeObserver(([entry]) => this.#resize(entry?.contentRect)).observe(this.#scroller);
    this.#scroller.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.#scroller.addEventListener("keydown", (event) => this.#onKey(event));
    this.#listenToPointer();
    byId("timeline-in").addEventListener("click", () => this.#change(() => this.#window.zoom(0.5, this.#latest())));
    byId("timeline-out").addEventListener("click", () => this.#change(() => this.#window.zoom(2, this.#latest())));
    byId("timeline-fit").addEventListener("click", () => this.#change(() => this.#fit()));
    byId("timeline-live").addEventListener("click", () => this.#change(() => this.#window.follow()));
  }

  paint(world: World, chosenJob: string | undefined): void {
    this.#world = world;
    this.#chosenJob = chosenJob;
    // What rows say of before is not now: nobody would find it in a window that ends now.
    if (world.source === "store" && !this.#isFitted && world.spans.size > 0) {
      this.#isFitted = true;
      this.#fit();
    }
    this.#draw();
  }

  #latest(): number {
    return this.#world === undefined ? 0 : latestMoment(this.#world, this.#ways.now()).atMs;
  }

  /** While a bar grows: moves on in between what is told, unless whoever looks wants nothing to move. */
  #animate(): void {
    if (!this.#window.follows || this.#isAnimated || this.#isCalm.matches) return;
    this.#isAnimated = true;
    setTimeout(() => {
      requestAnimationFrame(() => {
        this.#isAnimated = false;
        this.#draw();
      });
    }, FRAME_MS);
  }

  #change(change: () => void): void {
    change();
    this.#draw();
  }

  #fit(): void {
    const world = this.#world;
    if (world === undefined || world.spans.size === 0) return;
    let fromMs = Number.POSITIVE_INFINITY;
    for (const span of world.spans.values()) fromMs = Math.min(fromMs, span.fromMs);
    this.#window.fit(fromMs, this.#latest());
  }

  #resize(rect: DOMRectReadOnly | undefined): void {
    this.#size = { width: Math.floor(rect?.width ?? 0), height: Math.floor(rect?.height ?? 0) };
    const { width, height } = this.#size;
    const ratio = window.devicePixelRatio;
    this.#canvas.width = width * ratio;
    this.#canvas.height = height * ratio;
    this.#canvas.style.width = `${width}px`;
    this.#canvas.style.height = `${height}px`;
    this.#draw();
  }

  #draw(): void {
    const world = this.#world;
    const context = this.#canvas.getContext("2d");
    if (world === undefined || context === null || this.#size.width === 0) return;
    const nowMs = this.#ways.now();
    const { atMs, moving } = latestMoment(world, nowMs);
    const { fromMs, toMs } = this.#window.at(atMs);
    const lanes = lanesWithin(world, this.#numbers, fromMs, toMs);
    const { width, height } = this.#size;
    const spacer = `${Math.max(0, AXIS_HEIGHT + lanes.length * LANE_HEIGHT - height)}px`;
    if (this.#spacer.style.height !== spacer) this.#spacer.style.height = spacer;
    this.#scene = {
      ...{ lanes, fromMs, toMs, nowMs, width, height },
      gutter: width < 500 ? 84 : 104,
      numbers: this.#numbers,
      palette: this.#palette.colours,
      scrollTop: this.#scroller.scrollTop,
      chosenJob: this.#chosenJob,
    };
    context.setTransform(window.devicePixelRatio, 0, 0, window.devicePixelRatio, 0, 0);
    paintTimeline(context, this.#scene);
    this.#tell(world, lanes, fromMs, toMs, Math.min(toMs, atMs));
    if (moving) this.#animate();
  }

  #tell(world: World, lanes: readonly Lane[], fromMs: number, toMs: number, untilMs: number): void {
    const shares = phaseShares(lanes, fromMs, untilMs);
    const hasWorkers = lanes.some(({ kind }) => kind === "worker");
    for (const phase of PHASES) setText(byId(`share-${phase}`), hasWorkers ? percent(shares[phase]) : "");
    const jobs = lanes.filter(({ kind }) => kind === "job");
    const label = `Timeline from ${stopwatch(fromMs, 1)} to ${stopwatch(toMs, 1)}: ${jobs.length} jobs at work`;
    setAttributes(this.#canvas, { "aria-label": label });
    setAttributes(byId("timeline-live"), { "aria-pressed": String(this.#window.follows) });
    setText(byId("timeline-length"), durationText(this.#window.lengthMs));
    this.#empty.hidden = world.spans.size > 0;
    setText(this.#empty, world.source === undefined ? "" : "No target has been started yet.");
  }

  #onKey(event: KeyboardEvent): void {
    const latest = this.#latest();
    const step = this.#window.lengthMs / 5;
    const ways: Record<string, () => void> = {
      ArrowLeft: () => this.#window.pan(-step, latest),
      ArrowRight: () => this.#window.pan(step, latest),
      "+": () => this.#window.zoom(0.5, latest),
      "=": () => this.#window.zoom(0.5, latest),
      "-": () => this.#window.zoom(2, latest),
      "0": () => this.#fit(),
      End: () => this.#window.follow(),
    };
    const way = ways[event.key];
    if (way === undefined) return;
    event.preventDefault();
    this.#change(way);
  }

  #listenToPointer(): void {
    let held: { x: number; moved: boolean } | undefined;
    const canvas = this.#scroller;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button === 0) held = { x: event.clientX, moved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (held === undefined || event.buttons === 0) return this.#hover(event);
      const moved = event.clientX - held.x;
      if (!held.moved && Math.abs(moved) < 4) return;
      held = { x: event.clientX, moved: true };
      const perPixel = this.#window.lengthMs / Math.max(1, this.#size.width - (this.#scene?.gutter ?? 0));
      this.#change(() => this.#window.pan(-moved * perPixel, this.#latest()));
    });
    canvas.addEventListener("pointerup", (event) => {
      if (held?.moved === false) this.#pick(event);
      held = undefined;
    });
    canvas.addEventListener("pointerleave", () => {
      held = undefined;
      this.#tip.hidden = true;
    });
    canvas.addEventListener("wheel", (event) => this.#onWheel(event), { passive: false });
  }

  #onWheel(event: WheelEvent): void {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    const { gutter = 0, width = 1 } = this.#scene ?? {};
    const anchor = Math.min(1, Math.max(0, (this.#place(event).x - gutter) / (width - gutter)));
    this.#change(() => {
      if (isZoom) this.#window.zoom(1.002 ** event.deltaY, this.#latest(), anchor);
      else this.#window.pan((event.deltaX / width) * this.#window.lengthMs, this.#latest());
    });
  }

  #place(event: MouseEvent): { x: number; y: number } {
    const { left, top } = this.#canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  #laneAt(y: number): Lane | undefined {
    if (this.#scene === undefined || y < AXIS_HEIGHT) return undefined;
    return this.#scene.lanes[Math.floor((y - AXIS_HEIGHT + this.#scene.scrollTop) / LANE_HEIGHT)];
  }

  #spanAt(event: MouseEvent): SpanView | undefined {
    const { x, y } = this.#place(event);
    const scene = this.#scene;
    if (scene === undefined || x < scene.gutter) return undefined;
    const reaches = ({ fromMs, toMs = scene.nowMs }: SpanView) =>
      x >= xOf(scene, fromMs) - 1 && x <= Math.max(xOf(scene, fromMs) + 2, xOf(scene, toMs));
    return this.#laneAt(y)?.spans.findLast(reaches);
  }

  #pick(event: MouseEvent): void {
    const lane = this.#laneAt(this.#place(event).y);
    const jobId = this.#spanAt(event)?.jobId ?? (lane?.kind === "job" ? lane.key : undefined);
    if (jobId !== undefined) this.#ways.choose({ jobId });
  }

  #hover(event: MouseEvent): void {
    const span = this.#spanAt(event);
    this.#tip.hidden = span === undefined;
    if (span === undefined) return;
    setText(this.#tip, tipText(span, this.#ways.now()));
    this.#tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - 240)}px`;
    this.#tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - 70)}px`;
  }
}

function tipText({ jobId, index, attempt, phase, worker, fromMs, toMs }: SpanView, nowMs: number): string {
  const lasts = toMs === undefined ? ` ${durationText(nowMs - fromMs)} so far` : ` ${durationText(toMs - fromMs)}`;
  const by = worker === undefined ? "" : ` by ${worker}`;
  return `${phase}${lasts}\njob ${shortId(jobId)}, target ${index + 1}, attempt ${attempt}${by}\nfrom ${stopwatch(fromMs)}`;
}

function percent(share: number): string {
  return share > 0 && share < 0.01 ? "<1 %" : `${Math.round(share * 100)} %`;
}
