/** One thing that can happen next, and where it leads. */
export interface Edge<S> {
  readonly name: string;
  readonly leads: (from: S) => S;
}

/** A walk from the start: each edge by its name, and where it leads. */
export type Walk<S, E extends Edge<S>> = { edge: E; before: S; after: S }[];

interface Node<E> {
  /** Each edge, with the key of where it leads, and with what is ticked off once it was taken. */
  edges: { edge: E; to: string; label: string }[];
}

/** How standings are told apart (`key`), and which of their edges count as the same (`label`). */
export interface Graph<S, E extends Edge<S>> {
  start: S;
  edgesOf: (at: S) => E[];
  key: (at: S) => string;
  label: (at: S, edge: E) => string;
}

/** Walks that together take an edge of each label; each goes on while there is anything new, up to a length. */
export function coveringWalks<S, E extends Edge<S>>(graph: Graph<S, E>, longest: number) {
  const { start, key } = graph;
  const nodes = explore(graph);
  const all = [...nodes.values()].flatMap(({ edges }) => edges);
  const untaken = new Set(all.map(({ label }) => label));
  const labels = untaken.size;
  const walks: Walk<S, E>[] = [];
  for (;;) {
    const walk: Walk<S, E> = [];
    let at = start;
    while (walk.length < longest) {
      const way = wayToUntaken(nodes, untaken, key(at));
      if (way === undefined) break;
      for (const edge of way) {
        untaken.delete(graph.label(at, edge));
        const after = edge.leads(at);
        walk.push({ edge, before: at, after });
        at = after;
      }
    }
    if (walk.length === 0) break;
    walks.push(walk);
  }
  return { walks, standings: nodes.size, edges: all.length, labels };
}

function explore<S, E extends Edge<S>>({ start, edgesOf, key, label }: Graph<S, E>): Map<string, Node<E>> {
  const nodes = new Map<string, Node<E>>();
  const found: S[] = [start];
  // The list grows while it is walked, and each standing in it is looked at once.
  for (const standing of found) {
    if (nodes.has(key(standing))) continue;
    const edges = edgesOf(standing).map((edge) => {
      const after = edge.leads(standing);
      found.push(after);
      return { edge, to: key(after), label: label(standing, edge) };
    });
    nodes.set(key(standing), { edges });
  }
  return nodes;
}

/** The shortest way whose last edge has a label that none had before. */
function wayToUntaken<E>(nodes: Map<string, Node<E>>, untaken: Set<string>, from: string): E[] | undefined {
  const cameBy = new Map<string, { edge: E; from: string } | undefined>([[from, undefined]]);
  for (const at of cameBy.keys()) {
    const edges = nodes.get(at)?.edges ?? [];
    const last = edges.find(({ label }) => untaken.has(label));
    if (last !== undefined) return [...wayTo(cameBy, at), last.edge];
    for (const { edge, to } of edges) if (!cameBy.has(to)) cameBy.set(to, { edge, from: at });
  }
  return undefined;
}

function wayTo<E>(cameBy: Map<string, { edge: E; from: string } | undefined>, to: string): E[] {
  const way: E[] = [];
  for (let step = cameBy.get(to); step !== undefined; step = cameBy.get(step.from)) way.unshift(step.edge);
  return way;
}
