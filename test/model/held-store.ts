import type { BatchStore } from "../../src/index.js";
import { StoreTrouble } from "../support/troubled-store.js";
import { opName, type Verdict } from "./world.js";

/** A call of the store that waits to be committed on the real store, and then to be answered. */
export interface HeldOp {
  readonly what: string;
  readonly generation: number;
  committed: boolean;
  commit(verdict: Verdict): Promise<void>;
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
type StartRequest = Parameters<BatchStore["start"]>[0];
type Method = (...args: unknown[]) => Promise<unknown>;

/** A real store, each write of which is held until the test lets it happen. Jobs are known as `#1`, `#2`, … in the order they were asked for. */
export class HeldStore {
  pending: HeldOp[] = [];
  refusals = 0;
  /** The jobs that took a turn, in order. */
  readonly turns: string[] = [];
  /** Jobs whose turn was taken along with a write, but whose target was not started by it: a start that follows is of that turn. */
  readonly #owed = new Set<string>();
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
    this.#owed.clear();
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
        commit: async (verdict) => {
          op.committed = true;
          if (verdict !== "taken") this.#refuse(args);
          try {
            if (verdict === "refused") throw new StoreTrouble();
            const answer = await (this.real[name] as Method)(...(verdict === "taken" ? args : withBadStart(args)));
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
      this.#noteTurn(name, args);
    });
  }

  #noteTurn(name: Held, [request, next]: unknown[]): void {
    if (name !== "start" && name !== "settle" && name !== "defer") return;
    const { jobId } = request as { jobId: string };
    const isOwed = this.#owed.delete(jobId);
    if (name === "start" && !isOwed) this.turns.push(this.named(jobId));
    const started = (next as StartRequest | undefined)?.jobId;
    // A start that is owed may go with outcomes of its job that were held.
    if (started !== undefined && !(isOwed && started === jobId)) this.turns.push(this.named(started));
  }

  #refuse([_, next]: unknown[]): void {
    this.refusals++;
    if (next !== undefined) this.#owed.add((next as StartRequest).jobId);
  }

  /** The arguments that the model knows as well. */
  #known(name: Held, args: unknown[]): unknown[] {
    if (name === "recover") return [[...(args[0] as Set<string>)]];
    if (name !== "admit") return args;
    const { id, caller, callerClass, targets, nowSeconds } = args[0] as Parameters<BatchStore["admit"]>[0];
    const job = this.#names.get(id) ?? `#${this.ids.size + 1}`;
    this.ids.set(job, id);
    this.#names.set(id, job);
    return [{ id, caller, callerClass, targets, nowSeconds }];
  }
}

/** A start that SQLite cannot write, so that it is the store itself that makes the settling alone. */
function withBadStart([settle, start]: unknown[]): unknown[] {
  return [settle, { ...(start as StartRequest), startedAtMs: {} }];
}
