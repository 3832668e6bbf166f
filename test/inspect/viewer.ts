import { get, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import type { ActorView, EventView, Hello, JobView, SpanView, Update } from "../../src/inspect/protocol.js";

interface Told {
  name: string;
  message: Hello & Update;
}

/** Somebody who looks at an inspector's stream, and puts together what the page would show. */
export class Viewer {
  readonly told: Told[] = [];
  /** Every byte that came. */
  text = "";
  ended = false;
  readonly response: IncomingMessage;
  actors = new Map<string, ActorView>();
  jobs = new Map<string, JobView>();
  events = new Map<number, EventView>();
  spans = new Map<number, SpanView>();
  last: Partial<Hello> = {};
  #unread = "";
  #onChange = () => {};

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding("utf8").on("data", (chunk: string) => {
      this.text += chunk;
      this.#unread += chunk;
      // A large message comes in many pieces, and only its last can end it.
      if (chunk.endsWith("\n") || chunk.includes("\n\n")) this.#read();
    });
    response.on("error", () => {});
    response.on("close", () => {
      this.ended = true;
      this.#onChange();
    });
  }

  /** Resolves once the stream has begun. */
  static async look(url: string | undefined): Promise<Viewer> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${url}stream`, { agent: false }, resolve).on("error", reject);
    });
    const viewer = new Viewer(response);
    onTestFinished(() => viewer.leave());
    return viewer;
  }

  /** Resolves once it has been told what makes this true. */
  async until(isTrue: (viewer: Viewer) => boolean): Promise<void> {
    while (!isTrue(this)) {
      if (this.ended) throw new Error("the stream has ended");
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
  }

  /** Resolves once an actor is in a state. */
  untilIn(name: string, path: string): Promise<void> {
    return this.until(() => this.actor(name)?.active[0] === path);
  }

  actor(name: string): ActorView | undefined {
    return [...this.actors.values()].find((actor) => actor.name === name);
  }

  leave(): void {
    this.response.destroy();
  }

  /** All that is shown, without the times of messages. */
  shown() {
    const { rotation, jobStates } = this.last;
    const byId = <T extends { id: string | number }>(map: Map<unknown, T>) =>
      [...map.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    return { actors: byId(this.actors), jobs: byId(this.jobs), spans: byId(this.spans), rotation, jobStates };
  }

  #read(): void {
    const blocks = this.#unread.split("\n\n");
    this.#unread = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, name, json] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (name !== undefined && json !== undefined) this.#hear({ name, message: JSON.parse(json) });
    }
    this.#onChange();
  }

  #hear(told: Told): void {
    this.told.push(told);
    const { name, message } = told;
    if (name === "hello") {
      for (const map of [this.actors, this.jobs, this.events, this.spans]) map.clear();
      this.last = {};
    }
    Object.assign(this.last, message);
    for (const actor of message.actors ?? []) this.actors.set(actor.id, actor);
    for (const id of message.gone ?? []) this.actors.delete(id);
    for (const job of message.jobs ?? []) this.jobs.set(job.id, job);
    for (const id of message.goneJobs ?? []) this.jobs.delete(id);
    for (const event of message.events ?? []) this.events.set(event.id, event);
    for (const span of message.spans ?? []) this.spans.set(span.id, span);
  }
}
