import type { TargetPage, TargetView } from "../protocol.js";
import { byId, element, setText } from "./element.js";
import { subjectOf } from "./subject.js";
import { WindowedList } from "./windowed-list.js";
import type { World } from "./world.js";

const ROW_HEIGHT = 26;
const REFRESH_MS = 1_000;
const REVEALED = ["url", "options", "error", "hint", "result"] as const;

/** The targets of the chosen job, page by page, where the inspector has a store to read them from. */
export class JobTargets {
  readonly #panel = byId("targets");
  readonly #more = byId<HTMLButtonElement>("targets-more");
  readonly #list = new WindowedList<TargetView>(byId("targets-list"), { rowHeight: ROW_HEIGHT, make: makeRow, fill });
  #jobId: string | undefined;
  #targets: TargetView[] = [];
  #progress = "";
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  /** Answered once with nothing: there is no store to read. */
  #isAbsent = false;

  constructor() {
    this.#more.addEventListener("click", () => void this.#ask(this.#targets.at(-1)?.index ?? -1));
  }

  paint(world: World, jobId: string | undefined): void {
    if (jobId !== this.#jobId) {
      this.#jobId = jobId;
      this.#targets = [];
      this.#progress = "";
      this.#panel.hidden = true;
    }
    if (jobId === undefined || this.#isAbsent || this.#isAsking) return;
    const subject = subjectOf(world, { jobId });
    const progress = JSON.stringify([subject?.progress, subject?.active]);
    const isDue = performance.now() - this.#askedAtMs > REFRESH_MS || this.#targets.length === 0;
    if (progress === this.#progress || !isDue) return;
    this.#progress = progress;
    void this.#ask(-1);
  }

  async #ask(after: number): Promise<void> {
    const jobId = this.#jobId;
    if (jobId === undefined || this.#isAsking) return;
    this.#isAsking = true;
    this.#askedAtMs = performance.now();
    try {
      const response = await fetch(`targets?job=${encodeURIComponent(jobId)}&after=${after}`);
      this.#isAbsent = response.status === 204;
      if (response.status === 200 && jobId === this.#jobId) this.#add(after, (await response.json()) as TargetPage);
    } catch {
      // The connection's state is told elsewhere; the next change asks again.
    } finally {
      this.#isAsking = false;
    }
  }

  #add(after: number, { targets, more }: TargetPage): void {
    const before = after < 0 ? [] : this.#targets;
    // A page that is read anew stands in the place of its first reading; what was loaded beyond it stays.
    const beyond = after < 0 ? this.#targets.slice(targets.length) : [];
    this.#targets = [...before, ...targets, ...beyond];
    this.#panel.hidden = this.#targets.length === 0;
    if (beyond.length === 0) this.#more.hidden = !more;
    this.#list.show(this.#targets);
  }
}

function makeRow(): HTMLElement {
  const cells = ["index", "dot", "status", "text"].map((name) =>
    element("span", { class: name === "dot" ? "dot" : `target-${name}` }),
  );
  return element("div", { class: "target-row", role: "listitem" }, ...cells);
}

const TONES = { pending: "quiet", running: "busy", done: "good", failed: "bad" };

function fill(row: HTMLElement, target: TargetView): void {
  const [index, dot, status, text] = row.children;
  if (!index || !dot || !status || !text) return;
  setText(index, String(target.index));
  dot.setAttribute("data-tone", TONES[target.status]);
  setText(status, target.attempts > 1 ? `${target.status} ×${target.attempts}` : target.status);
  const revealed = REVEALED.map((field) => target[field]).filter((value) => value !== undefined && value !== "");
  const shown = revealed.join(" · ");
  setText(text, shown);
  text.setAttribute("title", shown);
}
