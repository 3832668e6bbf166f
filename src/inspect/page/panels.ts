import { byId, setAttributes } from "./element.js";
import { Tabs } from "./tabs.js";

const NARROW = "(max-width: 899px)";

/** All panels side by side where there is room; one at a time, under tabs, where there is not. */
export class Panels {
  readonly #narrow = matchMedia(NARROW);
  readonly #panels = [...document.querySelectorAll<HTMLElement>("[data-panel]")];
  readonly #changed: () => void;
  #open = "actors";

  constructor(changed: () => void) {
    this.#changed = changed;
    const tabs = new Tabs(byId("panel-tabs"), (name) => {
      this.#open = name;
      this.#apply();
    });
    this.#narrow.addEventListener("change", () => this.#apply());
    tabs.choose(this.#open);
  }

  #apply(): void {
    for (const panel of this.#panels) {
      const name = panel.dataset.panel;
      panel.hidden = this.#narrow.matches && name !== this.#open;
      const role = this.#narrow.matches ? "tabpanel" : "region";
      setAttributes(panel, { role });
    }
    this.#changed();
  }
}
