import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import type { MachineView, StateView, TransitionView } from "../protocol.js";

/** How wide a text is, in px: of a state's name, or of the small print beside an arrow. */
export type Measure = (text: string, style: "state" | "label") => number;

export const LABEL_LINE = 13;
const TITLE_HEIGHT = 28;
const BADGE_ROOM = 38;

const LAYOUT = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.json.edgeCoords": "ROOT",
  "elk.json.shapeCoords": "ROOT",
  "elk.layered.edgeLabels.centerLabelPlacementStrategy": "SPACE_EFFICIENT_LAYER",
  "elk.layered.spacing.nodeNodeBetweenLayers": "16",
  "elk.layered.spacing.edgeNodeBetweenLayers": "9",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "8",
  "elk.spacing.nodeNode": "14",
  "elk.spacing.edgeNode": "9",
  "elk.spacing.edgeEdge": "9",
  "elk.spacing.edgeLabel": "3",
  "elk.padding": "[top=10,left=10,bottom=10,right=10]",
};

/** An arrow of the chart: all transitions between two states, told one below the other. */
interface Arrow {
  from: string;
  to: string;
  lines: string[];
}

/** Ids in the graph: of a state, and of the dot that a state's initial arrow starts from. */
export const stateId = (path: string): string => `state:${path}`;
const initialId = (path: string): string => `initial:${path}`;
export const isInitialId = (id: string): boolean => id.startsWith("initial:");
export const pathOfId = (id: string): string => id.slice(id.indexOf(":") + 1);

/** A machine as a graph that elk can lay out. */
export function chartGraph(machine: MachineView, measure: Measure): ElkNode {
  const arrows = [...arrowsOf(machine.transitions), ...initialArrows(machine.root)];
  return {
    id: "chart",
    layoutOptions: LAYOUT,
    children: childrenOf(machine.root, machine, measure),
    edges: arrows.map((arrow, index) => edgeOf(arrow, index, measure)),
  };
}

/** What a transition is called: `target.stored [endsDone]`. */
export function transitionText({ event, guard }: TransitionView): string {
  return guard === undefined ? event : `${event} [${guard}]`;
}

/** The transitions of a state that stay in it; they are told inside of its box. */
export function innerTransitions(machine: MachineView, path: string): string[] {
  const texts = machine.transitions.filter(({ from, to }) => from === path && to === undefined).map(transitionText);
  return [...new Set(texts)];
}

function childrenOf(state: StateView, machine: MachineView, measure: Measure): ElkNode[] {
  const nodes = state.states.map((child) => nodeOf(child, machine, measure));
  if (state.initial !== undefined) nodes.push({ id: initialId(state.path), width: 10, height: 10 });
  return nodes;
}

function nodeOf(state: StateView, machine: MachineView, measure: Measure): ElkNode {
  const inner = innerTransitions(machine, state.path);
  const width = Math.max(
    72,
    measure(state.key, "state") + BADGE_ROOM,
    ...inner.map((text) => measure(text, "label") + 24),
  );
  if (state.states.length === 0) {
    const height = TITLE_HEIGHT + (inner.length === 0 ? 2 : inner.length * LABEL_LINE + 8);
    return { id: stateId(state.path), width, height };
  }
  const top = TITLE_HEIGHT + inner.length * LABEL_LINE + 10;
  return {
    id: stateId(state.path),
    layoutOptions: {
      "elk.padding": `[top=${top},left=14,bottom=14,right=14]`,
      "elk.nodeSize.constraints": "MINIMUM_SIZE",
      "elk.nodeSize.minimum": `(${width},${top})`,
    },
    children: childrenOf(state, machine, measure),
  };
}

function arrowsOf(transitions: readonly TransitionView[]): Arrow[] {
  const arrows = new Map<string, Arrow>();
  for (const transition of transitions) {
    const { from, to } = transition;
    if (to === undefined) continue;
    const key = `${from}>${to}`;
    const arrow = arrows.get(key) ?? { from: stateId(from), to: stateId(to), lines: [] };
    arrows.set(key, arrow);
    const text = transitionText(transition);
    if (!arrow.lines.includes(text)) arrow.lines.push(text);
  }
  return [...arrows.values()];
}

function initialArrows(state: StateView): Arrow[] {
  const initial = state.states.find(({ key }) => key === state.initial);
  const own = initial === undefined ? [] : [{ from: initialId(state.path), to: stateId(initial.path), lines: [] }];
  return [...own, ...state.states.flatMap(initialArrows)];
}

function edgeOf({ from, to, lines }: Arrow, index: number, measure: Measure): ElkExtendedEdge {
  const labels = lines.map((text) => ({
    text,
    width: measure(text, "label") + 6,
    height: LABEL_LINE,
    layoutOptions: { "elk.edgeLabels.placement": "CENTER" },
  }));
  return { id: `arrow:${index}`, sources: [from], targets: [to], labels };
}
