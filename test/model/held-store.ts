import type { BatchStore } from "../../src/index.js";
import { StoreTrouble } from "../support/troubled-store.js";
import { opName } from "./world.js";

/** A call of the store that waits to be committed on the real store, and then to be answered. */
export interface HeldOp {
  readonly what: string;
  readonly generation: number;
  committed: boolean;
  commit(refuse: boolean): Promise<void>;
  answer(): void;
}

const HELD = [
  "left",
  "recover",
  "admit",
  "withdraw",
  "start",
  "settle",
  "defer",
  "cancel",
  "touch",
  "sweep",
  "evict",
] as const;
type Held = (typeof HELD)[number];
type Method = (...args: unknown[]) => Promise<unknown>;

/** A real store, each write of which is held until the test lets it happen. Jobs are known as `#1`, `#2`, … in the order they were asked for. */
export class HeldStore {
  pending: HeldOp[] = [];
  refusals = 0;
  /** The jobs of which a target was to be started, in order. */
  readonly turns: string[] = [];
  /** The real id of each job, by its name. */
  readonly ids = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(readonly real: BatchStore) {}

  /** A text with each job's id replaced by its name. */
  named(text: string): string {
    return text.replace(/[0-9a-f]{32}/g, (id) => this.#names.get(id) ?? id);
  }

  /** The store as one runner has it; `giveBack` frees it as the death of that runner would. */
  forRunner(generation: number): { store: BatchStore; giveBack(): Promise<void> } {
    let giveBack = async () => {};
    const own = async () => {
      giveBack = await this.real.own();
      return giveBack;
    };
    const held = HELD.map((name) => [name, (...args: unknown[]) => this.#hold(generation, name, args)]);
    return { store: { ...this.real, own, ...Object.fromEntries(held) }, giveBack: () => giveBack() };
  }

  #hold(generation: number, name: Held, args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let settle = () => {};
      const op: HeldOp = {
        what: this.named(opName(name, ...this.#known(name, args))),
        generation,
        committed: false,
        commit: async (refuse) => {
          op.committed = true;
          if (refuse) this.refusals++;
          try {
            if (refuse) throw new StoreTrouble();
            const answer = await (this.real[name] as Method)(...args);
            settle = () => resolve(answer);
          } catch (error) {
            settle = () => reject(error);
          }
        },
        answer: () => {
          this.pending = this.pending.filter((each) => each !== op);
          settle();
        },
      };
      this.pending.push(op);
      if (name === "start") this.turns.push(this.named((args[0] as { jobId: string }).jobId));
    });
  }

  /** The arguments that the model knows as well. */
  #known(name: Held, args: unknown[]): unknown[] {
    if (name === "recover") return [[...(args[0] as Set<string>)]];
    if (name !== "admit") return args;
    const { id, caller, callerClass, targets, nowSeconds } = args[0] as Parameters<BatchStore["admit"]>[0];
    const job = `#${this.ids.size + 1}`;
    this.ids.set(job, id);
    this.#names.set(id, job);
    return [{ id, caller, callerClass, targets, nowSeconds }];
  }
}
