import type { ElkExtendedEdge, ElkNode, ElkPoint } from "elkjs/lib/elk-api.js";
import type { MachineView, StateView } from "../protocol.js";
import { innerTransitions, isInitialId, LABEL_LINE, pathOfId, stateId } from "./chart-graph.js";
import { svgElement } from "./element.js";

/** A state's box, whose classes and number change while the rest of the drawing stays. */
export interface StateBox {
  path: string;
  group: SVGGElement;
  badge: SVGTextElement;
}

export interface ArrowLine {
  from: string;
  group: SVGGElement;
}

export interface ChartDrawing {
  svg: SVGSVGElement;
  width: number;
  height: number;
  boxes: StateBox[];
  arrows: ArrowLine[];
}

/** Draws a machine that elk has laid out. */
export function drawChart(machine: MachineView, layout: ElkNode): ChartDrawing {
  const width = Math.ceil(layout.width ?? 0);
  const height = Math.ceil(layout.height ?? 0);
  const states = new Map<string, StateView>();
  const collect = (state: StateView): void => {
    states.set(stateId(state.path), state);
    state.states.forEach(collect);
  };
  collect(machine.root);

  const boxes: StateBox[] = [];
  const dots: SVGElement[] = [];
  for (const node of nodesWithin(layout)) {
    const state = states.get(node.id);
    if (state !== undefined) boxes.push(drawState(state, node, innerTransitions(machine, state.path)));
    else if (isInitialId(node.id)) dots.push(drawDot(node));
  }
  const arrows = (layout.edges ?? []).map(drawArrow);
  const svg = svgElement("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  // Boxes are told from the outside in, so that the inner ones lie on top; arrows run over boxes, and labels over all.
  svg.append(...boxes.map(({ group }) => group), ...arrows.map(({ group }) => group), ...dots);
  for (const { group } of arrows) svg.append(...group.querySelectorAll("text"));
  return { svg, width, height, boxes, arrows };
}

function* nodesWithin(node: ElkNode): Generator<ElkNode> {
  for (const child of node.children ?? []) {
    yield child;
    yield* nodesWithin(child);
  }
}

function drawState(state: StateView, node: ElkNode, inner: readonly string[]): StateBox {
  const { x = 0, y = 0, width = 0, height = 0 } = node;
  const group = svgElement("g", { class: `state-box ${state.type}`, "data-path": state.path });
  const radius = state.states.length > 0 ? 10 : 7;
  group.append(svgElement("rect", { class: "outline", x, y, width, height, rx: radius }));
  if (state.type === "final") {
    const inset = { x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: radius - 2.5 };
    group.append(svgElement("rect", { class: "inner-outline", ...inset }));
  }
  const badge = svgElement("text", { class: "badge", x: x + width - 10, y: y + 19, "text-anchor": "end" });
  group.append(svgElement("text", { class: "state-name", x: x + 12, y: y + 19 }, state.key), badge);
  for (const [line, text] of inner.entries()) {
    group.append(svgElement("text", { class: "inner", x: x + 12, y: y + 35 + line * LABEL_LINE }, ...spans(text)));
  }
  return { path: state.path, group, badge };
}

function drawDot({ x = 0, y = 0, width = 10 }: ElkNode): SVGElement {
  return svgElement("circle", { class: "initial", cx: x + width / 2, cy: y + width / 2, r: 4.5 });
}

function drawArrow(edge: ElkExtendedEdge): ArrowLine {
  const from = pathOfId(edge.sources[0] ?? "");
  const group = svgElement("g", { class: "arrow", "data-from": from, "data-to": pathOfId(edge.targets[0] ?? "") });
  for (const { startPoint, bendPoints = [], endPoint } of edge.sections ?? []) {
    const points = [startPoint, ...bendPoints, endPoint];
    group.append(svgElement("path", { class: "line", d: roundedPath(points) }));
    group.append(svgElement("path", { class: "head", d: headPath(points.at(-2) ?? startPoint, endPoint) }));
  }
  for (const { x = 0, y = 0, width = 0, text = "" } of edge.labels ?? []) {
    const place = { x: x + width / 2, y: y + 10, "text-anchor": "middle", "data-from": from };
    group.append(svgElement("text", { class: "arrow-label", ...place }, ...spans(text)));
  }
  return { from, group };
}

/** An event, and its guard in another tone. */
function spans(text: string): SVGElement[] {
  const [, event = "", guard] = /^(.*?)( \[.*\])?$/.exec(text) ?? [];
  const isDelay = event.startsWith("after ");
  const parts = [svgElement("tspan", { class: isDelay ? "delay" : "event" }, event)];
  if (guard !== undefined) parts.push(svgElement("tspan", { class: "guard" }, guard));
  return parts;
}

const CORNER = 5;

/** The way through the points, its corners rounded. */
function roundedPath(points: readonly ElkPoint[]): string {
  return points
    .map((point, index) => {
      const before = points[index - 1];
      const after = points[index + 1];
      if (before === undefined) return `M${point.x},${point.y}`;
      if (after === undefined) return `L${point.x},${point.y}`;
      const entry = towards(point, before, CORNER);
      const exit = towards(point, after, CORNER);
      return `L${entry.x},${entry.y}Q${point.x},${point.y} ${exit.x},${exit.y}`;
    })
    .join("");
}

function towards(from: ElkPoint, to: ElkPoint, most: number): ElkPoint {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const part = Math.min(most, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

function headPath(from: ElkPoint, tip: ElkPoint): string {
  const back = towards(tip, from, 7);
  const [dx, dy] = [((tip.y - back.y) * 3) / 7, ((back.x - tip.x) * 3) / 7];
  return `M${tip.x},${tip.y}L${back.x + dx},${back.y + dy}L${back.x - dx},${back.y - dy}Z`;
}
