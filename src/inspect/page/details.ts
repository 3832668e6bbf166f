import type { MachineView } from "../protocol.js";
import { transitionText } from "./chart-graph.js";
import type { Choice } from "./choice.js";
import { byId, element, setAttributes, setText } from "./element.js";
import { JobTargets } from "./job-targets.js";
import { withAncestors } from "./state-counts.js";
import { type Subject, subjectOf, toneOf } from "./subject.js";
import { durationText } from "./time-text.js";
import type { World } from "./world.js";

/** What is known of the chosen actor: its state, its counts, where it can go from here, and a job's targets. */
export class Details {
  readonly #root = byId("details");
  readonly #title = byId("details-title");
  readonly #facts = byId("details-facts");
  readonly #ways = byId("details-ways");
  readonly #targets = new JobTargets();
  #factsShown = "";
  #waysShown = "";

  paint(world: World, choice: Choice | undefined, nowMs: number): void {
    const subject = choice && subjectOf(world, choice);
    byId("details-empty").hidden = subject !== undefined;
    this.#root.hidden = subject === undefined;
    this.#targets.paint(world, choice !== undefined && "jobId" in choice ? choice.jobId : undefined);
    if (subject === undefined) return;
    const [dot, name, kind] = this.#title.children;
    if (dot !== undefined) setAttributes(dot, { "data-tone": toneOf(subject.active) });
    if (name !== undefined) setText(name, subject.name);
    if (kind !== undefined) setText(kind, subject.kind === subject.name ? "" : subject.kind);
    this.#showFacts(factsOf(subject, nowMs));
    this.#showWays(waysOut(world.machines[subject.kind], subject));
  }

  #showFacts(facts: [string, string][]): void {
    const labels = facts.map(([label]) => label).join();
    if (labels !== this.#factsShown) {
      this.#factsShown = labels;
      this.#facts.replaceChildren(...facts.flatMap(([label]) => [element("dt", {}, label), element("dd")]));
    }
    for (const [index, [, value]] of facts.entries()) {
      const place = this.#facts.children[2 * index + 1];
      if (place !== undefined) setText(place, value);
    }
  }

  #showWays(ways: [string, string][]): void {
    const shown = JSON.stringify(ways);
    byId("details-next").hidden = ways.length === 0;
    if (shown === this.#waysShown) return;
    this.#waysShown = shown;
    this.#ways.replaceChildren(
      ...ways.map(([event, to]) => element("li", {}, element("span", {}, event), element("span", {}, `→ ${to}`))),
    );
  }
}

function factsOf({ kind, fullName, active, actor, progress, caller }: Subject, nowMs: number): [string, string][] {
  const facts: [string, string | undefined][] = [
    ["state", active.join(", ")],
    ["for", actor && durationText(nowMs - actor.sinceMs)],
    ["waits", actor?.waitMs === undefined || !isWaiting(active) ? undefined : durationText(actor.waitMs)],
    ["stored", progress && `${progress.done} of ${progress.total}`],
    ["failed", progress && String(progress.failed)],
    ["place", actor?.place === undefined ? undefined : String(actor.place)],
    ["job", kind === "worker" ? actor?.jobId : undefined],
    ["index", actor?.index === undefined || actor.index < 0 ? undefined : String(actor.index)],
    ["attempt", actor?.attempt === undefined || actor.attempt < 1 ? undefined : String(actor.attempt)],
    ["caller", caller],
    ["id", kind === "job" ? fullName : undefined],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== "");
}

function isWaiting(active: readonly string[]): boolean {
  return active.some((path) => /(waiting|pausing)$/.test(path));
}

/** Which events are heard in the active states, and where they lead. */
function waysOut(machine: MachineView | undefined, { active }: Subject): [string, string][] {
  const states = withAncestors(active);
  const ways = (machine?.transitions ?? []).filter(({ from }) => states.has(from));
  return ways.map((transition) => [transitionText(transition), transition.to ?? "stays"]);
}
