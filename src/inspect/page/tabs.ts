import { setAttributes } from "./element.js";

/** A row of tabs by the book: one tab stop, arrow keys move and choose, and each tab names the panel that it controls. */
export class Tabs {
  readonly #tabs: HTMLElement[];
  readonly #changed: (name: string) => void;

  constructor(list: HTMLElement, changed: (name: string) => void) {
    this.#changed = changed;
    this.#tabs = [...list.querySelectorAll<HTMLElement>("[role=tab]")];
    for (const [index, tab] of this.#tabs.entries()) {
      tab.addEventListener("click", () => this.choose(nameOf(tab)));
      tab.addEventListener("keydown", (event) => this.#onKey(event, index));
    }
  }

  choose(name: string): void {
    for (const tab of this.#tabs) {
      const chosen = nameOf(tab) === name;
      setAttributes(tab, { "aria-selected": String(chosen), tabindex: chosen ? 0 : -1 });
    }
    this.#changed(name);
  }

  #onKey(event: KeyboardEvent, index: number): void {
    const count = this.#tabs.length;
    const to = { ArrowRight: index + 1, ArrowLeft: index + count - 1, Home: 0, End: count - 1 }[event.key];
    const tab = to === undefined ? undefined : this.#tabs[to % count];
    if (tab === undefined) return;
    event.preventDefault();
    tab.focus();
    this.choose(nameOf(tab));
  }
}

function nameOf(tab: HTMLElement): string {
  return tab.dataset.tab ?? "";
}
