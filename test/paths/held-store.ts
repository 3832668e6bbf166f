import type { BatchStore } from "../../src/index.js";
import { StoreTrouble } from "../support/troubled-store.js";

const HELD_METHODS = ["start", "settle", "defer"] as const;

/** A write of the held job (`begin`: of its next target's start, with another job's settling) that the store was asked for: nothing of it is done before the test says so. */
export interface HeldWrite {
  method: (typeof HELD_METHODS)[number] | "begin";
  /** Has the real store run its transaction, and keeps the answer back. */
  commit(): void;
  /** Hands over what the real store answered. */
  answer(): void;
  /** Rejects, without having done anything. */
  refuse(): void;
}

/** A real store: the writes of one job's targets wait for the test. */
export class HeldStore {
  readonly store: BatchStore;
  heldJob: string | undefined;
  /** The one write that waits: a second one beside it would be a fault. */
  waiting: HeldWrite | undefined;

  constructor(real: BatchStore) {
    const methods = Object.entries(real) as [keyof BatchStore, (...args: unknown[]) => Promise<unknown>][];
    const wrapped = methods.map(([name, method]) => [name, (...args: unknown[]) => this.#call(name, method, args)]);
    // A runner that closes here may stand for one that dies, and leaves nothing in good order.
    this.store = { ...(Object.fromEntries(wrapped) as BatchStore), leave: async () => {} };
  }

  /** Forgets the write that waits: whoever asked for it is no more. */
  drop(): void {
    this.waiting = undefined;
  }

  #call(name: keyof BatchStore, method: (...args: unknown[]) => Promise<unknown>, args: unknown[]): Promise<unknown> {
    // A target of another job may be stored together with the start of one of this.
    const isOfJob = this.heldJob !== undefined && JSON.stringify(args).includes(this.heldJob);
    const run = () => method(...args);
    const isBegin = name === "settle" && !JSON.stringify(args[0]).includes(this.heldJob ?? "");
    const held = HELD_METHODS.find((other) => other === name);
    return isOfJob && held !== undefined ? this.#hold(isBegin ? "begin" : held, run) : run();
  }

  #hold(method: HeldWrite["method"], run: () => Promise<unknown>): Promise<unknown> {
    if (this.waiting !== undefined) throw new Error(`${method} was asked for while ${this.waiting.method} waits`);
    return new Promise((resolve, reject) => {
      let answer: Promise<unknown> | undefined;
      this.waiting = {
        method,
        commit: () => {
          answer = run();
        },
        answer: () => {
          this.waiting = undefined;
          resolve(answer);
        },
        refuse: () => {
          this.waiting = undefined;
          reject(new StoreTrouble());
        },
      };
    });
  }
}
