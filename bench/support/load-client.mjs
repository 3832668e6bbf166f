// One client of a service under load: submits, polls, cancels one job in four, thinks; and remembers each job it was given.
import { setTimeout as pause } from "node:timers/promises";
import { keyOf } from "./service-process.mjs";

const POLL_MS = 250;
const THINK_MS = 2_000;
const MOST_TARGETS = 5;
const ENDED = ["done", "partial", "failed", "cancelled"];

export class LoadClient {
  /** How long each kind of call took, in ms. */
  took = { submit: [], status: [], cancel: [], check: [] };
  /** What went wrong, a line each. */
  errors = [];
  #number;
  #service;
  #pages;
  #random;
  #accepted = [];

  constructor(number, service, pages) {
    this.#number = number;
    this.#service = service;
    this.#pages = pages;
    this.#random = randomFrom(number + 1);
  }

  async workUntil(untilMs) {
    // Not all at once.
    await pause(this.#random() * THINK_MS);
    while (performance.now() < untilMs) {
      const accepted = await this.#submit();
      if (accepted !== undefined) await this.#follow(accepted, this.#random() < 0.25);
      await pause(this.#random() * THINK_MS);
    }
  }

  /** Each accepted job as it stands for its owner; without `job` where it is not found. */
  async readAll() {
    const read = [];
    for (const accepted of this.#accepted) {
      const { status, body } = await this.#call("check", "GET", `/v1/batch/${accepted.id}?limit=0`);
      read.push({ ...accepted, job: status === 200 ? body.job : undefined });
    }
    return read;
  }

  async #submit() {
    const count = 1 + Math.floor(this.#random() * MOST_TARGETS);
    const kinds = Array.from({ length: count }, () => this.#kind());
    const name = `${this.#number}/${this.#accepted.length}`;
    const targets = kinds.map((kind, index) => ({ url: this.#pages.url(kind, `${name}/${index}`) }));
    const { status, body } = await this.#call("submit", "POST", "/v1/batch", { targets });
    if (status !== 202) return undefined;
    const missing = kinds.filter((kind) => kind === "missing").length;
    const accepted = { id: body.id, targets: count, missing, wasCancelled: false };
    this.#accepted.push(accepted);
    return accepted;
  }

  #kind() {
    const drawn = this.#random();
    if (drawn < 0.1) return "missing";
    return drawn < 0.2 ? "slow" : "page";
  }

  async #follow(accepted, cancels) {
    const path = `/v1/batch/${accepted.id}`;
    if (cancels) {
      const { body } = await this.#call("cancel", "DELETE", path);
      accepted.wasCancelled = body?.cancelled === true;
    }
    for (;;) {
      const { status, body } = await this.#call("status", "GET", path);
      if (status !== 200 || ENDED.includes(body.job.status)) return;
      await pause(POLL_MS);
    }
  }

  /** Whatever is no success is an error: the caps are wide enough for all. */
  async #call(kind, method, path, body) {
    const beganMs = performance.now();
    try {
      const { status, text } = await this.#service.call(keyOf(this.#number), method, path, body);
      this.took[kind].push(performance.now() - beganMs);
      if (status >= 300) this.errors.push(`${method}: ${status} ${text}`);
      return { status, body: JSON.parse(text) };
    } catch (error) {
      this.errors.push(`${method}: ${error.code ?? error.name}`);
      return { status: 0 };
    }
  }
}

/** Numbers from 0 to 1, the same in every run: mulberry32. */
function randomFrom(seed) {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
