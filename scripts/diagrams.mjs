// Draws the three machines as they are defined: `npm run build` first, then `node scripts/diagrams.mjs` writes
// docs/state-machines.md. With `--check` it writes nothing and fails where that file is not what it would write.
import { readFileSync, writeFileSync } from "node:fs";
import { HEAD, PROSE } from "./state-machine-words.mjs";

const machines = await import("../dist/machines/index.js").catch(() => fail("build first: npm run build"));

const OUTPUT = new URL("../docs/state-machines.md", import.meta.url);

checkTurn();

const page = `${[HEAD, ...Object.entries(PROSE).map(([name, prose]) => sectionOf(machines[name], prose))].join("\n\n")}\n`;

if (!process.argv.includes("--check")) writeFileSync(OUTPUT, page);
else if (page !== written()) {
  fail("docs/state-machines.md is stale; refresh it: npm run build && npm run diagrams");
}

function written() {
  try {
    return readFileSync(OUTPUT, "utf8").replaceAll("\r\n", "\n");
  } catch {
    return undefined;
  }
}

function sectionOf(machine, { about, invariants, states, events, guards, delays }) {
  const nodes = statesWithin(machine.root).slice(1);
  const transitions = transitionsOf(machine);
  checkWords(machine, "states", states, nodes.map(pathOf));
  checkWords(machine, "events", events, eventsOf(machine));
  checkWords(machine, "guards", guards, Object.keys(machine.implementations.guards));
  checkWords(machine, "delays", delays, Object.keys(machine.implementations.delays));
  const words = [...Object.entries(guards), ...Object.entries(delays)];
  return [
    `## ${machine.id}`,
    about,
    `Invariants:\n\n${invariants.map((text) => `- ${text}`).join("\n")}`,
    ...outlineOf(machine, transitions),
    diagramOf(machine, transitions),
    tableOf(
      ["State", "Meaning", "On entry"],
      nodes.map((node) => [code(pathOf(node)), states[pathOf(node)], entryOf(node).map(code).join(", ")]),
    ),
    tableOf(
      ["Event", "From", "Meaning"],
      Object.entries(events).map(([type, [from, text]]) => [code(type), from, text]),
    ),
    tableOf(
      ["Guard or delay", "Meaning"],
      words.map(([name, text]) => [code(name), text]),
    ),
    `<details>\n<summary>All ${transitions.length} transitions of the ${machine.id}, with their actions</summary>\n\n${transitionTable(transitions)}\n\n</details>`,
  ].join("\n\n");
}

/** The drawing of one turn names no event that the machines do not know. */
function checkTurn() {
  const events = Object.values(machines).flatMap(eventsOf);
  const unknown = [...HEAD.matchAll(/->>.*: (.*)$/gm)]
    .map(([, event]) => event)
    .filter((event) => !events.includes(event));
  if (unknown.length > 0) fail(`scripts/state-machine-words.mjs: no such event: ${unknown}`);
}

/** What is described and what the machine defines must be the same. */
function checkWords(machine, kind, said, defined) {
  const missing = defined.filter((name) => !(name in said));
  const unknown = Object.keys(said).filter((name) => !defined.includes(name));
  if (missing.length + unknown.length === 0) return;
  fail(
    `scripts/state-machine-words.mjs: ${kind} of the ${machine.id}: not described: [${missing}], not in the machine: [${unknown}]`,
  );
}

function statesWithin(node) {
  return [node, ...Object.values(node.states).flatMap(statesWithin)];
}

/** The events that others send: not those of its own delays. */
function eventsOf(machine) {
  return machine.events.filter((type) => !type.startsWith("xstate."));
}

function pathOf(node) {
  return node.path.join(".");
}

function nameOf(reference) {
  return typeof reference === "string" ? reference : reference.type;
}

function entryOf({ entry }) {
  return entry.map(nameOf).filter((name) => !name.startsWith("xstate."));
}

function transitionsOf(machine) {
  return statesWithin(machine.root).flatMap((source) =>
    [...source.transitions, ...alwaysOf(source)].flatMap(([type, branches]) => {
      const delay = source.after.find(({ eventType }) => eventType === type)?.delay;
      return branches.map(({ target, guard, actions }) => ({
        source,
        target: target?.[0],
        event: delay === undefined ? type : `after ${delay}`,
        guard: guard === undefined ? undefined : nameOf(guard),
        actions: actions.map(nameOf),
      }));
    }),
  );
}

/** Transitions that are taken at once, on no event. */
function alwaysOf({ always }) {
  return always === undefined ? [] : [["at once", always]];
}

function transitionTable(transitions) {
  const rows = transitions.map(({ source, event, guard, target, actions }) => [
    code(pathOf(source)),
    code(event),
    guard === undefined ? "" : code(guard),
    target === undefined ? "stays" : code(pathOf(target)),
    actions.map(code).join(", "),
  ]);
  return tableOf(["In", "Event", "Guard", "To", "Actions"], rows);
}

function tableOf(head, rows) {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function code(text) {
  return `\`${text}\``;
}

/** The outermost states alone, where there are others within them. */
function outlineOf(machine, transitions) {
  const outer = Object.values(machine.root.states);
  if (outer.every(({ type }) => type !== "compound")) return [];
  const edges = edgesByArrow();
  for (const { source, target, event, guard } of transitions) {
    const [from, to] = [source.path[0], target?.path[0] ?? source.path[0]];
    if (from !== to) edges.add(from, to, guard === undefined ? event : `${event} [${guard}]`);
  }
  const lines = [`[*] --> ${idOf(machine.root.initial.target[0])}`, ...edges.lines(), ...endsOf(machine)];
  return ["In outline:", mermaid(["stateDiagram-v2", ...indent(lines)]), "In full:"];
}

function edgesByArrow() {
  const labels = new Map();
  return {
    add(from, to, label) {
      const arrow = `${from} --> ${to}`;
      labels.set(arrow, new Set([...(labels.get(arrow) ?? []), label]));
    },
    lines: () => [...labels].map(([arrow, all]) => `${arrow} : ${[...all].join("<br/>")}`),
  };
}

function endsOf(machine) {
  const ends = Object.values(machine.root.states).filter(({ type }) => type === "final");
  return ends.map((node) => `${idOf(node)} --> [*]`);
}

function mermaid(lines) {
  return ["```mermaid", ...lines, "```"].join("\n");
}

/** Mermaid wants ids that are unique in the whole diagram, and draws no edge from a state to one within it: a diamond is between. */
function diagramOf(machine, transitions) {
  const edges = edgesByArrow();
  const diamonds = [];
  const notes = [];
  for (const branches of groups(transitions)) {
    const [{ source, event }] = branches;
    const needsDiamond =
      branches.length > 2 || branches.some(({ target }) => target !== undefined && isWithin(target, source));
    const diamond = `${idOf(source)}_${event.replaceAll(/\W/g, "_")}`;
    if (needsDiamond) {
      diamonds.push(`state ${diamond} <<choice>>`);
      edges.add(idOf(source), diamond, event);
    }
    const asks = new Set(branches.map(({ target, actions }) => target ?? actions)).size > 1;
    for (const { target, guard, actions } of branches) {
      const when = guard === undefined || !asks ? "" : ` [${guard}]`;
      if (target === undefined) notes.push(`${idOf(source)} : ${event}${when} / ${actions.join(", ")}`);
      else if (needsDiamond) edges.add(diamond, idOf(target), when.trim() || "otherwise");
      else edges.add(idOf(source), idOf(target), `${event}${when}`);
    }
  }
  const lines = [...notes, ...diamonds, ...edges.lines(), ...endsOf(machine)];
  return mermaid(["stateDiagram-v2", ...insideOf(machine.root), ...indent(lines)]);
}

function insideOf(node) {
  const start = `[*] --> ${idOf(node.initial.target[0])}`;
  return indent([start, ...Object.values(node.states).flatMap(stateLines)]);
}

function stateLines(node) {
  const opening = `state "${node.key}" as ${idOf(node)}`;
  if (node.type === "compound") return [`${opening} {`, ...insideOf(node), "}"];
  return [opening, ...entryOf(node).map((action) => `${idOf(node)} : entry / ${action}`)];
}

function groups(transitions) {
  const found = new Map();
  for (const transition of transitions)
    found.set(keyOf(transition), [...(found.get(keyOf(transition)) ?? []), transition]);
  return found.values();
}

function keyOf({ source, event }) {
  return `${source.id} ${event}`;
}

function idOf(node) {
  return node.path.join("_");
}

function isWithin(node, outer) {
  return outer.path.every((key, depth) => node.path[depth] === key) && node.path.length > outer.path.length;
}

function indent(lines) {
  return lines.map((line) => `  ${line}`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
