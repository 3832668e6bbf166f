import type { Caller, FetchContext, FetchFunc, FetchOptions, Result, Target } from "../../src/index.js";

/** One call of the fetch, which waits until the test answers it. */
export interface HeldCall {
  readonly target: Target<FetchOptions>;
  readonly context: FetchContext<Caller>;
  succeed(result?: unknown): void;
  fail(error: unknown): void;
}

/** A fetch whose every call waits for the test: `next()` resolves to the next call, in the order they were made. */
export class HeldFetch {
  /** The URLs fetched so far, in order. */
  readonly urls: string[] = [];
  readonly #calls: HeldCall[] = [];
  readonly #takers: ((call: HeldCall) => void)[] = [];

  readonly fetch: FetchFunc = (target, context) => {
    this.urls.push(target.url);
    return new Promise<Result>((resolve, reject) => {
      const call: HeldCall = {
        target,
        context,
        succeed: (result = { content: target.url }) => resolve(result as Result),
        fail: reject,
      };
      const taker = this.#takers.shift();
      if (taker === undefined) this.#calls.push(call);
      else taker(call);
    });
  };

  async next(): Promise<HeldCall> {
    const call = this.#calls.shift();
    return call ?? new Promise((resolve) => this.#takers.push(resolve));
  }

  /** Calls that were made and not yet taken by `next()`. */
  get waiting(): number {
    return this.#calls.length;
  }
}
