import type { SpanView } from "../protocol.js";
import { stopwatch } from "./time-text.js";
import { ticks } from "./time-window.js";
import type { JobNumbers, Lane, Phase } from "./timeline-lanes.js";
import { shortId } from "./world.js";

export const AXIS_HEIGHT = 24;
export const LANE_HEIGHT = 22;
const BAR_HEIGHT = 14;

export interface Palette {
  phases: Record<Phase, string>;
  jobs: readonly string[];
  ink: string;
  faint: string;
  grid: string;
  panel: string;
  chosen: string;
  onBar: string;
  font: string;
  mono: string;
}

export interface Scene {
  lanes: readonly Lane[];
  numbers: JobNumbers;
  palette: Palette;
  fromMs: number;
  toMs: number;
  nowMs: number;
  /** In CSS pixels: of the canvas, of its gutter for names, and how far the lanes are scrolled. */
  width: number;
  height: number;
  gutter: number;
  scrollTop: number;
  chosenJob: string | undefined;
}

/** Where a time is on the canvas. */
export function xOf(scene: Scene, ms: number): number {
  const part = (ms - scene.fromMs) / (scene.toMs - scene.fromMs);
  return scene.gutter + part * (scene.width - scene.gutter);
}

export function paintTimeline(context: CanvasRenderingContext2D, scene: Scene): void {
  const { width, height, palette, lanes, scrollTop } = scene;
  context.clearRect(0, 0, width, height);
  context.textBaseline = "middle";
  paintGrid(context, scene);
  const hatch = hatching(context, palette.phases.waiting);
  const first = Math.max(0, Math.floor(scrollTop / LANE_HEIGHT));
  const last = Math.min(lanes.length, Math.ceil((scrollTop + height - AXIS_HEIGHT) / LANE_HEIGHT));
  context.save();
  context.beginPath();
  context.rect(0, AXIS_HEIGHT, width, height - AXIS_HEIGHT);
  context.clip();
  for (let index = first; index < last; index++) {
    const lane = lanes[index];
    if (lane !== undefined) paintLane(context, scene, lane, AXIS_HEIGHT + index * LANE_HEIGHT - scrollTop, hatch);
  }
  const firstJob = lanes.findIndex(({ kind }) => kind === "job");
  if (firstJob > 0) {
    context.fillStyle = palette.faint;
    context.fillRect(0, AXIS_HEIGHT + firstJob * LANE_HEIGHT - scrollTop, width, 1);
  }
  context.restore();
}

function paintGrid(context: CanvasRenderingContext2D, scene: Scene): void {
  const { fromMs, toMs, nowMs, width, height, gutter, palette } = scene;
  const { stepMs, atMs } = ticks(fromMs, toMs, Math.max(2, (width - gutter) / 90));
  const digits = stepMs >= 1_000 ? 0 : stepMs >= 100 ? 1 : 3;
  context.font = palette.font;
  for (const ms of atMs) {
    const x = Math.round(xOf(scene, ms));
    if (x < gutter) continue;
    context.fillStyle = palette.grid;
    context.fillRect(x, AXIS_HEIGHT - 4, 1, height);
    context.fillStyle = palette.ink;
    const text = stopwatch(ms, digits);
    if (x + 4 + context.measureText(text).width < width) context.fillText(text, x + 4, 11);
  }
  if (nowMs >= fromMs && nowMs <= toMs) {
    context.fillStyle = palette.chosen;
    context.fillRect(Math.round(xOf(scene, nowMs)), AXIS_HEIGHT - 4, 1, height);
  }
}

function paintLane(
  context: CanvasRenderingContext2D,
  scene: Scene,
  lane: Lane,
  top: number,
  hatch: CanvasPattern | string,
): void {
  const { palette, gutter, width, numbers } = scene;
  if (lane.kind === "job" && lane.key === scene.chosenJob) {
    context.globalAlpha = 0.12;
    context.fillStyle = palette.chosen;
    context.fillRect(0, top + 1, width, LANE_HEIGHT - 1);
    context.globalAlpha = 1;
  }
  let textLeft = 12;
  if (lane.kind === "job") {
    context.fillStyle = jobColour(palette, numbers.of(lane.key));
    context.fillRect(12, top + LANE_HEIGHT / 2 - 4, 8, 8);
    textLeft = 26;
  }
  context.font = lane.kind === "job" ? palette.mono : palette.font;
  context.fillStyle = palette.ink;
  context.fillText(lane.label, textLeft, top + LANE_HEIGHT / 2 + 0.5, gutter - textLeft - 6);
  context.save();
  context.beginPath();
  context.rect(gutter, top, width - gutter, LANE_HEIGHT);
  context.clip();
  paintBars(context, scene, lane, top, hatch);
  context.restore();
}

function paintBars(
  context: CanvasRenderingContext2D,
  scene: Scene,
  lane: Lane,
  top: number,
  hatch: CanvasPattern | string,
): void {
  const { gutter, nowMs, toMs } = scene;
  const isWorker = lane.kind === "worker";
  const y = top + (LANE_HEIGHT - BAR_HEIGHT) / 2;
  let drawnTo = Number.NEGATIVE_INFINITY;
  let drawn: unknown;
  for (const span of lane.spans) {
    const left = xOf(scene, span.fromMs);
    const right = Math.max(left + 1.5, xOf(scene, span.toMs ?? Math.min(nowMs, toMs)));
    const looks = isWorker ? span.jobId : span.phase;
    // Of thousands of bars within one pixel, one is enough.
    if (right <= drawnTo && looks === drawn) continue;
    drawnTo = Math.ceil(right);
    drawn = looks;
    context.fillStyle = barColour(scene, span, isWorker, hatch);
    context.globalAlpha = isWorker && span.phase !== "fetching" ? 0.55 : 1;
    context.fillRect(left, y, Math.max(1.5, right - left - 0.5), BAR_HEIGHT);
    context.globalAlpha = 1;
    paintBarText(context, scene, span, isWorker, Math.max(left, gutter), right, y);
  }
}

function barColour({ palette, numbers }: Scene, span: SpanView, isWorker: boolean, hatch: CanvasPattern | string) {
  if (isWorker) return jobColour(palette, numbers.of(span.jobId));
  return span.phase === "waiting" ? hatch : palette.phases[span.phase];
}

function paintBarText(
  context: CanvasRenderingContext2D,
  { palette }: Scene,
  span: SpanView,
  isWorker: boolean,
  left: number,
  right: number,
  y: number,
): void {
  if (span.phase !== "fetching") return;
  const number = String(span.index);
  const whole = isWorker ? `${shortId(span.jobId).slice(0, 4)} ${number}` : number;
  const room = right - left - 8;
  context.font = palette.font;
  const text = [whole, number].find((candidate) => context.measureText(candidate).width <= room);
  if (text === undefined) return;
  context.fillStyle = palette.onBar;
  context.fillText(text, left + 4, y + BAR_HEIGHT / 2 + 0.5);
}

function jobColour(palette: Palette, number: number): string {
  return palette.jobs[number % palette.jobs.length] ?? palette.ink;
}

/** Slanted lines: what waits is not at work. */
function hatching(context: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const pen = tile.getContext("2d");
  if (pen === null) return colour;
  pen.globalAlpha = 0.28;
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 6, 6);
  pen.globalAlpha = 1;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.6;
  pen.beginPath();
  for (const shift of [-6, 0, 6]) {
    pen.moveTo(shift - 1, 7);
    pen.lineTo(shift + 7, -1);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat") ?? colour;
}
