import { type Choice, choiceKey } from "./choice.js";
import { element, setAttributes, setText } from "./element.js";
import { subjectOf, toneOf } from "./subject.js";
import { type GroupKey, type TreeRow, treeRows } from "./tree-rows.js";
import { WindowedList } from "./windowed-list.js";
import type { World } from "./world.js";

const ROW_HEIGHT = 30;

/** The tree of actors, walked by the arrow keys; moving in it chooses. */
export class ActorTree {
  readonly #root: HTMLElement;
  readonly #choose: (choice: Choice) => void;
  readonly #list: WindowedList<TreeRow>;
  /** The ended jobs are many, and of less interest than what lives. */
  readonly #closed = new Set<GroupKey>();
  #world: World | undefined;
  #rows: TreeRow[] = [];
  #membership = -1;
  #current = "";
  #choice: Choice | undefined;

  constructor(root: HTMLElement, choose: (choice: Choice) => void) {
    this.#root = root;
    this.#choose = choose;
    this.#list = new WindowedList(root, {
      rowHeight: ROW_HEIGHT,
      make: makeRow,
      fill: (row, item, index) => this.#fill(row, item, index),
    });
    root.addEventListener("keydown", (event) => this.#onKey(event));
    root.addEventListener("click", (event) => {
      const row = (event.target as Element).closest<HTMLElement>(".tree-row");
      if (row !== null) this.#enter(Number(row.dataset.index), true);
    });
  }

  paint(world: World, choice: Choice | undefined): void {
    this.#world = world;
    if (this.#membership !== world.membership) this.#remake();
    // Only where it is another: the arrow keys may have gone on to a group since, which cannot be chosen.
    if (choice !== undefined && choice !== this.#choice) this.#current = choiceKey(choice);
    this.#choice = choice;
    this.#list.show(this.#rows);
    const current = this.#rows.findIndex(({ key }) => key === this.#current);
    setAttributes(this.#root, { "aria-activedescendant": current < 0 ? undefined : rowId(current) });
  }

  #remake(): void {
    if (this.#world === undefined) return;
    this.#membership = this.#world.membership;
    this.#rows = treeRows(this.#world, this.#closed);
  }

  #onKey(event: KeyboardEvent): void {
    const at = this.#rows.findIndex(({ key }) => key === this.#current);
    const row = this.#rows[at];
    const moves: Record<string, () => number | undefined> = {
      ArrowDown: () => at + 1,
      ArrowUp: () => Math.max(0, at - 1),
      Home: () => 0,
      End: () => this.#rows.length - 1,
      PageDown: () => Math.min(this.#rows.length - 1, at + 10),
      PageUp: () => Math.max(0, at - 10),
      ArrowLeft: () => (row?.group?.open ? this.#toggle(row.group.key) : this.#parentOf(at)),
      ArrowRight: () => (row?.group?.open === false ? this.#toggle(row.group.key) : at + 1),
      Enter: () => row?.group && this.#toggle(row.group.key),
      " ": () => row?.group && this.#toggle(row.group.key),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const to = move();
    if (to !== undefined) this.#enter(to, false);
  }

  #parentOf(index: number): number | undefined {
    const level = this.#rows[index]?.level ?? 1;
    const parent = this.#rows.slice(0, index).findLastIndex((row) => row.level < level);
    return parent < 0 ? undefined : parent;
  }

  #toggle(key: GroupKey): undefined {
    if (!this.#closed.delete(key)) this.#closed.add(key);
    this.#remake();
    this.#list.show(this.#rows);
  }

  #enter(index: number, byPointer: boolean): void {
    const row = this.#rows[index];
    if (row === undefined) return;
    this.#current = row.key;
    if (byPointer && row.group !== undefined) this.#toggle(row.group.key);
    this.#list.reveal(index);
    setAttributes(this.#root, { "aria-activedescendant": rowId(index) });
    if (row.choice !== undefined) this.#choose(row.choice);
  }

  #fill(element: HTMLElement, row: TreeRow, index: number): void {
    setAttributes(element, {
      id: rowId(index),
      "data-index": index,
      "data-key": row.key,
      "aria-level": row.level,
      "aria-posinset": row.position,
      "aria-setsize": row.siblings,
      "aria-selected": row.group === undefined ? String(row.key === this.#current) : undefined,
      "aria-expanded": row.group && String(row.group.open),
      "data-current": row.key === this.#current,
    });
    // As they were made; a collection has no type for its places.
    const [, dot, name, state, meter, count] = element.children as unknown as HTMLElement[];
    if (!dot || !name || !state || !meter || !count || this.#world === undefined) return;
    const subject = row.choice && subjectOf(this.#world, row.choice);
    setAttributes(dot, { "data-tone": subject && toneOf(subject.active) });
    setText(name, row.group?.title ?? subject?.name ?? "");
    name.classList.toggle("mono", subject?.kind === "job");
    setText(state, subject?.active.join(" ") ?? "");
    fillMeter(meter, subject?.progress);
    setText(count, row.group === undefined ? countText(subject?.progress) : String(row.group.count));
  }
}

function rowId(index: number): string {
  return `tree-row-${index}`;
}

function makeRow(): HTMLElement {
  return element(
    "div",
    { class: "tree-row", role: "treeitem" },
    element("span", { class: "twist", "aria-hidden": "true" }),
    element("span", { class: "dot", "aria-hidden": "true" }),
    element("span", { class: "name" }),
    element("span", { class: "state" }),
    element(
      "span",
      { class: "meter", "aria-hidden": "true" },
      element("i", { class: "ok" }),
      element("i", { class: "bad" }),
    ),
    element("span", { class: "count" }),
  );
}

type Progress = { total: number; done: number; failed: number } | undefined;

function fillMeter(meter: HTMLElement, progress: Progress): void {
  meter.hidden = progress === undefined || progress.total === 0;
  if (progress === undefined || progress.total === 0) return;
  // As they were made, see above.
  const [ok, bad] = meter.children as unknown as HTMLElement[];
  if (ok === undefined || bad === undefined) return;
  ok.style.width = `${(100 * (progress.done - progress.failed)) / progress.total}%`;
  bad.style.width = `${(100 * progress.failed) / progress.total}%`;
}

function countText(progress: Progress): string {
  return progress === undefined ? "" : `${progress.done}/${progress.total}`;
}
