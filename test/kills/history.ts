import type { Told } from "./life.js";
import type { Rows, TargetRow } from "./rows.js";
import { pageOf } from "./site.js";

type Stored = Extract<Told, { told: "stored" }>;
type Submitted = Extract<Told, { told: "submitted" }>;

const LIVE = ["queued", "running"];
const REFUSALS = ["ERR_BUSY", "ERR_CALLER_BUSY", "ERR_CLOSED"];

/** All that the processes of one file were told, over all their lives, to be held against its rows. */
export class History {
  readonly #submitted = new Map<string, Submitted>();
  readonly #created = new Set<string>();
  readonly #cancelled = new Set<string>();
  readonly #uncancelled = new Set<string>();
  readonly #ended = new Map<string, string>();
  readonly #touched = new Map<string, number>();
  readonly #stored = new Map<string, Stored>();
  /** The attempts of each target that were fetched. */
  readonly #fetches = new Map<string, number[]>();
  readonly #cutShort = new Map<string, Set<number>>();
  /** Of those the attempts that closing gave up at its time limit, which are no interruptions. */
  readonly #givenUp = new Map<string, Set<number>>();
  /** The fetches of this life that were answered for good. */
  #answered = new Set<string>();
  #contradictions: string[] = [];

  get storedTargets(): number {
    return this.#stored.size;
  }

  /** How many attempts a death cut short. */
  get cutShort(): number {
    return [...this.#cutShort.values()].reduce((sum, attempts) => sum + attempts.size, 0);
  }

  get jobs(): number {
    return this.#created.size;
  }

  /** Adds what one life was told; returns what in it cannot be true beside the rest. */
  addLife(told: readonly Told[]): string[] {
    this.#answered = new Set();
    this.#contradictions = [];
    for (const message of told) this.#add(message);
    return this.#contradictions;
  }

  addCancelled(ids: readonly string[]): void {
    for (const id of ids) this.#cancelled.add(id);
  }

  #add(message: Told): void {
    switch (message.told) {
      case "submitted":
        if (!message.reused && this.#submitted.has(message.id)) this.#contradict("submitted twice", message.id);
        this.#submitted.set(message.id, message);
        return;
      case "created":
        if (this.#created.has(message.id)) this.#contradict("created twice", message.id);
        this.#created.add(message.id);
        return;
      case "refused":
        if (!REFUSALS.includes(message.code)) this.#contradict("refused", message.code);
        return;
      case "cancelled":
      case "uncancelled":
        (message.told === "cancelled" ? this.#cancelled : this.#uncancelled).add(message.id);
        return;
      case "ended":
        if (this.#ended.has(message.id)) this.#contradict("ended twice", message.id);
        this.#ended.set(message.id, message.status);
        return;
      case "touched":
        this.#touched.set(message.id, message.seconds);
        return;
      case "failure":
        this.#contradict("a call failed", message.error);
        return;
      case "fetch":
      case "answered":
      case "stored":
        this.#addOfTarget(message, `${message.id}/${message.index}`);
    }
  }

  #addOfTarget(message: Extract<Told, { index: number }>, key: string): void {
    if (this.#stored.has(key)) this.#contradict(`${message.told} after it was stored`, key);
    if (message.told === "stored") this.#stored.set(key, message);
    else if (this.#answered.has(key)) this.#contradict(`${message.told} after its answer`, key);
    if (message.told === "answered") this.#answered.add(key);
    if (message.told !== "fetch") return;
    const attempts = this.#fetches.get(key) ?? [];
    if (message.attempt <= (attempts.at(-1) ?? 0)) this.#contradict(`attempt ${message.attempt} again`, key);
    this.#fetches.set(key, [...attempts, message.attempt]);
  }

  #contradict(what: string, where: string): void {
    this.#contradictions.push(`${what}: ${where}`);
  }

  /** What was told and is not in the rows, or is there otherwise. */
  missingFrom({ jobs, targets }: Rows): string[] {
    const missing: string[] = [];
    const expect = (holds: boolean, what: string) => holds || missing.push(what);
    for (const id of this.#created) expect(jobs.has(id), `created ${id}`);
    for (const [id, { caller, urls }] of this.#submitted) {
      const rows = urls.map((url, index) => targets.get(`${id}/${index}`)?.url === url);
      expect(jobs.get(id)?.caller === caller && rows.every(Boolean), `submitted ${id}`);
      expect(jobs.get(id)?.targets_total === urls.length, `submitted ${id} with ${urls.length}`);
    }
    for (const id of this.#cancelled) expect(jobs.get(id)?.status === "cancelled", `cancelled ${id}`);
    for (const id of this.#uncancelled) expect(!LIVE.includes(jobs.get(id)?.status ?? ""), `over ${id}`);
    for (const [id, status] of this.#ended) expect(jobs.get(id)?.status === status, `ended ${id} ${status}`);
    for (const [id, seconds] of this.#touched) expect((jobs.get(id)?.lease ?? 0) >= seconds, `touched ${id}`);
    for (const [key, stored] of this.#stored) expect(isStored(stored, targets.get(key)), `stored ${key}`);
    return missing;
  }

  /** Notes the attempts that a death cut short: each can be, once. Returns those that only closing may have given up, or must have. */
  addDeath({ jobs, targets }: Rows, told: readonly Told[]): string[] {
    const mayHave = told.some((message) => message.told === "closing");
    const mustHave = told.at(-1)?.told === "closed";
    return [...targets].flatMap(([key, { job_id, status, attempts, interruptions }]) => {
      if (status !== "running") return [];
      const isGivenUp = interruptions < this.#interruptions(key, attempts);
      // Two deaths with no start between them that put the file right.
      const isKnown = this.#cutShort.get(key)?.has(attempts) === true;
      addTo(this.#cutShort, key, attempts);
      if (isGivenUp) addTo(this.#givenUp, key, attempts);
      return isKnown || (isGivenUp ? mayHave : !(mustHave && LIVE.includes(jobs.get(job_id)?.status ?? "")))
        ? []
        : [`${key}: given up by closing: ${isGivenUp}`];
    });
  }

  /** Targets that were started otherwise than told: each attempt was fetched, but for those that death cut short before it. */
  wrongAttempts({ targets }: Rows): string[] {
    return [...targets].flatMap(([key, { attempts }]) => {
      const fetched = this.#fetches.get(key) ?? [];
      const unfetched = attempts - fetched.length;
      const possible = unfetched >= 0 && unfetched <= this.#cuts(key) && (fetched.at(-1) ?? 0) <= attempts;
      return possible ? [] : [`${key}: ${attempts} attempts, fetched ${fetched}, ${this.#cuts(key)} cut short`];
    });
  }

  /** Targets of which the rows say that they were interrupted otherwise than they were, once the last death was put right. */
  wrongInterruptions({ targets }: Rows): string[] {
    return [...targets].flatMap(([key, { interruptions }]) =>
      interruptions === this.#interruptions(key)
        ? []
        : [`${key}: ${interruptions} interruptions, not ${this.#interruptions(key)}`],
    );
  }

  /** How many attempts were interrupted, but for the one of that number. */
  #interruptions(key: string, but?: number): number {
    const givenUp = this.#givenUp.get(key);
    return [...(this.#cutShort.get(key) ?? [])].filter((attempt) => attempt !== but && !givenUp?.has(attempt)).length;
  }

  #cuts(key: string): number {
    return this.#cutShort.get(key)?.size ?? 0;
  }
}

function addTo(attempts: Map<string, Set<number>>, key: string, attempt: number): void {
  attempts.set(key, (attempts.get(key) ?? new Set()).add(attempt));
}

function isStored({ status, error, bytes }: Stored, row: TargetRow | undefined): boolean {
  if (row === undefined) return false;
  const resultBytes = row.result === null ? 0 : Buffer.byteLength(row.result);
  const right = row.status === "failed" || row.result === JSON.stringify({ content: pageOf(row.url) });
  return row.status === status && row.error === error && resultBytes === bytes && right;
}
