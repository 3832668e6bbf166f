import type { Logger } from "pino";
import type { BatchRunner, Clock, RunnerConfig } from "../../src/index.js";
import { thenable } from "./odd-values.js";
import { SECRET } from "./scene.js";

/** A place from which the host may call the runner, once, after its job's first fetch has begun. */
export interface Place {
  name: string;
  config?(call: () => void): Partial<RunnerConfig>;
  /** What the first fetch returns or throws. */
  answer?(call: () => void): unknown;
  attach?(runner: BatchRunner, call: () => void): void;
  /** How the job of three targets stands at last where the call was to cancel it. */
  cancelled: string;
  /** How it stands once the runner was closed by the call. */
  closed: string;
}

const IN_FLIGHT = { cancelled: "cancelled: done pending pending", closed: "running: done pending pending" };
const FAILED = { cancelled: "cancelled: failed pending pending", closed: "running: failed pending pending" };
const ENDED = { cancelled: "done: done done done", closed: "done: done done done" };

const hook = (name: string) => (call: () => void) => ({ hooks: { [name]: call } });
const levels = (call: () => void) => ({ debug: call, info: call, warn: call, error: call }) as unknown as Logger;

export const PLACES: Place[] = [
  { name: "the hook target", config: hook("target"), ...IN_FLIGHT },
  { name: "the hook inflight", config: hook("inflight"), ...IN_FLIGHT },
  { name: "the hook depth", config: hook("depth"), ...ENDED },
  { name: "the hook job", config: hook("job"), ...ENDED },
  { name: "the hook jobSeconds", config: hook("jobSeconds"), ...ENDED },
  { name: "the logger", config: (call) => ({ logger: levels(call) }), ...IN_FLIGHT },
  { name: "an inspect function", config: (call) => ({ inspect: call }), ...IN_FLIGHT },
  { name: "an inspect observer", config: (call) => ({ inspect: { next: call } }), ...IN_FLIGHT },
  { name: "the clock", config: (call) => ({ clock: callingClock(call) }), ...IN_FLIGHT },
  { name: "a subscriber of the gauges", attach: ({ gauges }, call) => void gauges.subscribe(call), ...IN_FLIGHT },
  { name: "a selector of the gauges", attach: selecting, ...IN_FLIGHT },
  { name: "a fetch before it answers", answer: (call) => after(call, { content: "" }), ...IN_FLIGHT },
  { name: "a thenable that a fetch returns", answer: thenableAfter, ...IN_FLIGHT },
  { name: "a `then` that is read", answer: thenRead, ...IN_FLIGHT },
  { name: "the toJSON of a result", answer: (call) => ({ toJSON: () => after(call, {}) }), ...IN_FLIGHT },
  { name: "a getter of a result", answer: (call) => getter({}, "content", call), ...IN_FLIGHT },
  {
    name: "the message of an error",
    answer: (call) => Promise.reject(getter(new Error(), "message", call)),
    ...FAILED,
  },
  { name: "the cause of an error", answer: (call) => Promise.reject(getter(new Error(), "cause", call)), ...FAILED },
];

function after<T>(call: () => void, value: T): T {
  call();
  return value;
}

function getter(value: object, name: string, call: () => void): object {
  return Object.defineProperty(value, name, { get: () => after(call, SECRET), enumerable: true });
}

function thenableAfter(call: () => void): unknown {
  return thenable((resolve: (value: unknown) => void) => resolve(after(call, { content: "" })));
}

function thenRead(call: () => void): unknown {
  return getter({ content: "" }, "then", call);
}

function selecting({ gauges }: BatchRunner, call: () => void): void {
  gauges.select(call).subscribe(() => {});
}

function callingClock(call: () => void): Clock {
  const now = () => after(call, Date.now());
  return { now, setTimeout: (fn, ms) => setTimeout(fn, ms), clearTimeout: (id) => clearTimeout(id as number) };
}
