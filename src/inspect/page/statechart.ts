import type { MachineKind, MachineView } from "../protocol.js";
import { type ChartDrawing, drawChart } from "./chart-drawing.js";
import { chartGraph, type Measure } from "./chart-graph.js";
import { element, setAttributes, setText } from "./element.js";
import { ElkLayout } from "./elk-layout.js";
import { stateCounts, withAncestors } from "./state-counts.js";
import type { Subject } from "./subject.js";
import type { World } from "./world.js";

const ZOOM_STEP = 1.25;
const ZOOM_MIN = 0.35;
const ZOOM_MAX = 2.5;
/** Smaller than this, labels cannot be read: the chart is scrolled instead. */
const READABLE = 0.78;

/** The chart of one machine kind, with its states lit. */
export class Statechart {
  readonly #frame: HTMLElement;
  readonly #note: HTMLElement;
  readonly #elk = new ElkLayout();
  readonly #drawings = new Map<string, ChartDrawing>();
  readonly #asked = new Set<string>();
  readonly #keys = new WeakMap<MachineView, string>();
  readonly #repaint: () => void;
  #shown: ChartDrawing | undefined;
  #zoom: number | undefined;
  #seen = "";

  constructor(frame: HTMLElement, repaint: () => void) {
    this.#frame = frame;
    this.#note = element("p", { class: "empty" });
    this.#repaint = repaint;
    frame.append(this.#note);
    new ResizeObserver(() => this.#scale()).observe(frame);
  }

  zoomBy(steps: number): void {
    this.#zoom = clamp(this.#scaleNow() * ZOOM_STEP ** steps, ZOOM_MIN, ZOOM_MAX);
    this.#scale();
  }

  /** All of it in sight, however small. */
  fit(): void {
    const { clientWidth, clientHeight } = this.#frame;
    const { width, height } = this.#shown ?? { width: 1, height: 1 };
    this.#zoom = clamp(Math.min(clientWidth / width, clientHeight / height), 0.1, 1);
    this.#scale();
  }

  paint(world: World, kind: MachineKind, chosen: Subject | undefined): void {
    const machine = world.machines[kind];
    const drawing = machine && this.#drawing(machine);
    setText(this.#note, noteFor(world, machine, drawing));
    this.#note.hidden = drawing !== undefined;
    this.#show(drawing);
    if (drawing === undefined) return;
    const counts = stateCounts(world, kind);
    const lit = withAncestors(chosen?.kind === kind ? chosen.active : []);
    for (const { path, group, badge } of drawing.boxes) {
      const count = counts.get(path) ?? 0;
      group.classList.toggle("occupied", count > 0);
      group.classList.toggle("lit", lit.has(path));
      setText(badge, count > 0 ? String(count) : "");
    }
    for (const { from, group } of drawing.arrows) group.classList.toggle("next", lit.has(from));
    setAttributes(this.#frame, { "aria-label": describe(kind, counts, chosen) });
    this.#follow(drawing, counts, chosen?.kind === kind ? chosen : undefined);
  }

  /** A new connection tells of the same machines anew, which are not to be laid out again. */
  #keyOf(machine: MachineView): string {
    const key = this.#keys.get(machine) ?? JSON.stringify(machine);
    this.#keys.set(machine, key);
    return key;
  }

  #drawing(machine: MachineView): ChartDrawing | undefined {
    const key = this.#keyOf(machine);
    if (!this.#asked.has(key)) {
      this.#asked.add(key);
      this.#elk.layout(chartGraph(machine, measureText())).then(
        (layout) => {
          this.#drawings.set(key, drawChart(machine, layout));
          this.#repaint();
        },
        () => this.#asked.delete(key),
      );
    }
    return this.#drawings.get(key);
  }

  #show(drawing: ChartDrawing | undefined): void {
    if (this.#shown === drawing) return;
    this.#shown?.svg.remove();
    this.#shown = drawing;
    this.#zoom = undefined;
    this.#seen = "";
    if (drawing !== undefined) this.#frame.append(drawing.svg);
    this.#scale();
  }

  #scaleNow(): number {
    return this.#zoom ?? clamp((this.#frame.clientWidth - 4) / (this.#shown?.width ?? 1), READABLE, 1);
  }

  #scale(): void {
    if (this.#shown === undefined || this.#frame.clientWidth === 0) return;
    const { svg, width, height } = this.#shown;
    const scale = this.#scaleNow();
    setAttributes(svg, { width: Math.round(width * scale), height: Math.round(height * scale) });
  }

  /** Brings the state that a newly chosen actor is in into sight, or one that somebody is in; after that, whoever looks may scroll. */
  #follow({ boxes }: ChartDrawing, counts: ReadonlyMap<string, number>, chosen: Subject | undefined): void {
    const { clientWidth, clientHeight } = this.#frame;
    const seen = chosen?.fullName ?? "nobody";
    if (seen === this.#seen || clientWidth === 0) return;
    this.#seen = seen;
    const inhabited = boxes.findLast(({ path }) => counts.has(path));
    const box = boxes.find(({ path }) => path === chosen?.active[0]) ?? inhabited ?? boxes[0];
    const outline = box?.group.querySelector("rect");
    if (outline === null || outline === undefined) return;
    const scale = this.#scaleNow();
    const middle = (start: string, size: string) =>
      (Number(outline.getAttribute(start)) + Number(outline.getAttribute(size)) / 2) * scale;
    this.#frame.scrollTo({
      left: middle("x", "width") - clientWidth / 2,
      top: middle("y", "height") - clientHeight / 2,
    });
  }
}

function noteFor(world: World, machine: MachineView | undefined, drawing: ChartDrawing | undefined): string {
  if (drawing !== undefined) return "";
  if (machine !== undefined) return "Laying the chart out…";
  if (world.source === "store") return "A store at rest has rows and no actors: there is no state to light.";
  return "Waiting for the runner…";
}

function describe(kind: MachineKind, counts: ReadonlyMap<string, number>, chosen: Subject | undefined): string {
  const states = [...counts].filter(([path]) => path !== "").map(([path, count]) => `${count} in ${path}`);
  const of = chosen?.kind === kind ? `; ${chosen.name} is in ${chosen.active.join(", ")}` : "";
  return `Statechart of the ${kind} machine: ${states.join(", ") || "nobody in any state"}${of}`;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Measures in the very fonts that the style sheet draws with. */
function measureText(): Measure {
  const context = document.createElement("canvas").getContext("2d");
  const style = getComputedStyle(document.body);
  const fonts = { state: `600 13px ${style.fontFamily}`, label: `11px ${style.fontFamily}` };
  return (text, kind) => {
    if (context === null) return text.length * 7;
    context.font = fonts[kind];
    return context.measureText(text).width;
  };
}
