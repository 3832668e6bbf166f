import type { FetchContext, FetchFunc } from "../runner/batch-runner.js";
import type { Caller, FetchOptions, Result, Target } from "../target.js";

/** One call of a held fetch, which waits until the test answers it. The first answer counts. */
export interface HeldCall<C extends Caller = Caller, O extends object = FetchOptions> {
  readonly target: Target<O>;
  readonly context: FetchContext<C>;
  /** The fetch returns this; `{ content: target.url }` where it is absent. */
  succeed(result?: Result): void;
  /** The fetch throws this. */
  fail(error: unknown): void;
}

/** A fetch for a runner under test, made by `heldFetch`. */
export interface HeldFetch<C extends Caller = Caller, O extends object = FetchOptions> {
  readonly fetch: FetchFunc<C, O>;
  /** Resolves to the next call, in the order they were made, as soon as there is one. */
  next(): Promise<HeldCall<C, O>>;
  /** The URLs fetched so far, in order. */
  readonly urls: readonly string[];
  /** How many calls were made that `next()` has not handed out yet. */
  readonly waiting: number;
}

export interface HeldFetchOptions {
  /** Calls go on waiting for the test when their signal is aborted, as those of a fetch that pays no heed to it; false. */
  ignoreAbort?: boolean;
}

/**
 * A fetch whose every call waits for the test to answer it. By `close()` and by a time limit it is aborted as the platform's
 * `fetch` is: the call rejects with the signal's reason.
 */
export function heldFetch<C extends Caller = Caller, O extends object = FetchOptions>(
  options: HeldFetchOptions = {},
): HeldFetch<C, O> {
  const urls: string[] = [];
  const calls: HeldCall<C, O>[] = [];
  const takers: ((call: HeldCall<C, O>) => void)[] = [];

  const hold = (call: HeldCall<C, O>) => {
    const taker = takers.shift();
    if (taker === undefined) calls.push(call);
    else taker(call);
  };
  const abort = (call: HeldCall<C, O>) => {
    if (calls.includes(call)) calls.splice(calls.indexOf(call), 1);
    call.fail(call.context.signal.reason);
  };
  return {
    urls,
    get waiting() {
      return calls.length;
    },
    fetch: (target, context) => {
      urls.push(target.url);
      return new Promise<Result>((resolve, reject) => {
        const succeed = (result: Result = { content: target.url }) => resolve(result);
        const call = { target, context, succeed, fail: reject };
        if (options.ignoreAbort !== true) {
          if (context.signal.aborted) return reject(context.signal.reason);
          context.signal.addEventListener("abort", () => abort(call), { once: true });
        }
        hold(call);
      });
    },
    async next() {
      return calls.shift() ?? new Promise((resolve) => takers.push(resolve));
    },
  };
}
