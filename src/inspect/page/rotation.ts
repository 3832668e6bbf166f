import type { ActorView } from "../protocol.js";
import type { Choice } from "./choice.js";
import { byId, element, setAttributes, setText } from "./element.js";
import { liveJobActors, type RingJob, rotationRing } from "./rotation-ring.js";
import { toneOf } from "./subject.js";
import { shortId, type World } from "./world.js";

/** The rotation: the live jobs in their order, and the cursor that goes round. */
export class Rotation {
  readonly #ring = byId("rotation-ring");
  readonly #words = byId("rotation-words");
  readonly #chips: HTMLElement[] = [];
  readonly #choose: (choice: Choice) => void;
  #jobs: RingJob[] = [];
  #live: ActorView[] = [];
  #membership = -1;
  #chosenJob: string | undefined;

  constructor(choose: (choice: Choice) => void) {
    this.#choose = choose;
    this.#ring.addEventListener("keydown", (event) => this.#onKey(event));
    this.#ring.addEventListener("click", (event) => {
      const chip = (event.target as Element).closest<HTMLElement>(".chip");
      if (chip?.dataset.job !== undefined) choose({ jobId: chip.dataset.job });
    });
  }

  paint(world: World, chosenJob: string | undefined): void {
    this.#chosenJob = chosenJob;
    if (this.#membership !== world.membership) {
      this.#membership = world.membership;
      this.#live = liveJobActors(world);
    }
    this.#jobs = rotationRing(world, this.#live);
    while (this.#chips.length < this.#jobs.length) this.#addChip();
    for (const [index, chip] of this.#chips.entries()) this.#fill(chip, this.#jobs[index], index);
    const chosen = this.#jobs.findIndex(({ jobId }) => jobId === chosenJob);
    setAttributes(this.#ring, { "aria-activedescendant": chosen < 0 ? undefined : `chip-${chosen}` });
    this.#ring.hidden = this.#jobs.length === 0;
    setText(this.#words, wordsFor(world, this.#live.length, this.#jobs.length));
  }

  #addChip(): void {
    const chip = element("div", { class: "chip", role: "option", id: `chip-${this.#chips.length}` });
    chip.append(element("span", { class: "dot", "aria-hidden": "true" }), element("span", { class: "mono" }));
    this.#chips.push(chip);
    this.#ring.append(chip);
  }

  #fill(chip: HTMLElement, job: RingJob | undefined, index: number): void {
    chip.hidden = job === undefined;
    if (job === undefined) return;
    const [dot, name] = chip.children;
    const state = job.active.join(" ");
    setAttributes(chip, {
      "data-job": job.jobId,
      "data-ready": job.isReady,
      "data-next": job.isNext,
      "data-last": job.isLast,
      "aria-selected": String(job.jobId === this.#chosenJob),
      "aria-label": `${shortId(job.jobId)}, ${state}${job.isNext ? ", next" : ""}${job.isLast ? ", taken last" : ""}`,
      "aria-posinset": index + 1,
      title: `${job.jobId}: ${state}`,
    });
    if (dot !== undefined) setAttributes(dot, { "data-tone": toneOf(job.active) });
    if (name !== undefined) setText(name, shortId(job.jobId).slice(0, 6));
  }

  #onKey(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined || this.#jobs.length === 0) return;
    event.preventDefault();
    const at = this.#jobs.findIndex(({ jobId }) => jobId === this.#chosenJob);
    const to = at < 0 ? 0 : (at + step + this.#jobs.length) % this.#jobs.length;
    const job = this.#jobs[to];
    if (job === undefined) return;
    // At once, and not with the next frame: another key may come before that.
    this.#chosenJob = job.jobId;
    this.#choose({ jobId: job.jobId });
  }
}

function wordsFor({ rotation, source }: World, live: number, shown: number): string {
  if (source === "store") return "Rows have no rotation: it lives in the runner that works on them.";
  if (rotation === undefined) return "";
  const { idleWorkers, readyTotal } = rotation;
  const idle = idleWorkers.length === 0 ? "every worker has a target" : `idle: ${idleWorkers.join(", ")}`;
  if (live === 0) return `No live job; ${idle}.`;
  const part = shown < live ? `, ${shown} shown around the cursor` : "";
  return `${readyTotal} ready of ${live} live${part}; ${idle}.`;
}
