import type { BatchStore } from "../../src/index.js";
import { storeWith } from "../support/store-with.js";
import { revoked, throwing, trapped, withThrowing } from "./odd-values.js";
import { SECRET } from "./scene.js";

/** What a runner is made with beside a good store and a good fetch, and what that is refused with; nothing where it works all the same. */
export interface ConfiguredCase {
  name: string;
  make(store: BatchStore): unknown;
  refused?: string;
}

/** Options that feed a timer, and others; all of them whole numbers of 0 or more. */
export const TIMERS = ["retryWaitMs", "retryForMs", "targetTimeoutMs"];
export const COUNTS = ["ttlMs", "targetsPerJob", "jobsPerCaller", "jobsTotal", "workers", "workersMax"];
export const MORE_COUNTS = ["maxBytes", "maxInterrupted"];

export const NO_NUMBERS: [string, unknown][] = [
  ["NaN", Number.NaN],
  ["-1", -1],
  ["0.5", 0.5],
  ["-0.5", -0.5],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["2^53", 2 ** 53],
  ['"3"', "3"],
  ['""', ""],
  ["null", null],
  ["true", true],
  ["false", false],
  ["3n", 3n],
  ["0n", 0n],
  ["a symbol", Symbol(SECRET)],
  ["[3]", [3]],
  ["{}", {}],
  ["a boxed number", Object(3)],
  ["what becomes a number", { valueOf: () => 3 }],
  ["a Date", new Date(3)],
  ["a function", () => 3],
  ["a trapped proxy", trapped()],
];

const NO_FETCH = "TypeError: fetch must be a function";
const NO_RESUME = "TypeError: resume must be a function";
const NO_STORE = "TypeError: store must be what openSqliteStore resolves to";

function refuses(name: string, make: ConfiguredCase["make"], refused: string): ConfiguredCase {
  return { name, make, refused };
}

function works(name: string, make: ConfiguredCase["make"]): ConfiguredCase {
  return { name, make };
}

/** Each of these in the place of an object that the host hands in. */
const WRONG_TYPES: [string, unknown][] = [
  ["null", null],
  ["a number", 5],
  ["a string", SECRET],
  ["a symbol", Symbol(SECRET)],
  ["an empty object", {}],
  ["an array", [throwing]],
  ["a revoked proxy", revoked()],
  ["a trapped proxy", trapped()],
];

function wrongly(option: string): ConfiguredCase[] {
  return WRONG_TYPES.map(([name, value]) => works(`${option}: ${name}`, () => ({ [option]: value })));
}

/** What no runner can work without. */
export const PARTS: ConfiguredCase[] = [
  ...[undefined, null, 5, SECRET, {}, []].map((fetch) =>
    refuses(`fetch: ${JSON.stringify(fetch)}`, () => ({ fetch }), NO_FETCH),
  ),
  refuses("fetch: a trapped proxy of an object", () => ({ fetch: trapped() }), NO_FETCH),
  refuses("fetch: a getter that throws", () => withThrowing({}, "fetch"), `Error: ${SECRET}`),
  refuses("resume: null", () => ({ resume: null }), NO_RESUME),
  refuses("resume: an object", () => ({ resume: {} }), NO_RESUME),
  refuses("store: missing", () => ({ store: undefined }), NO_STORE),
  refuses("store: null", () => ({ store: null }), NO_STORE),
  refuses("store: a number", () => ({ store: 5 }), NO_STORE),
  refuses("store: an empty object", () => ({ store: {} }), NO_STORE),
  refuses("store: a revoked proxy", () => ({ store: revoked() }), "TypeError"),
  refuses("store: a path", () => ({ store: "jobs.db" }), NO_STORE),
  refuses("store: without `own`", lacking("own"), "TypeError"),
  refuses("store: without `recover`", lacking("recover"), "TypeError"),
  refuses("store: without `left`, for a runner that resumes", lackingLeft(), "TypeError"),
  works("store: without `left`, for a runner that does not", lacking("left")),
  works("store: without `sweep`", lacking("sweep")),
  works("store: without `list` and `touch`", lacking("list", "touch")),
];

/** What only looks on: of the wrong type it is as if it were absent. */
export const BYSTANDERS: ConfiguredCase[] = [
  ...wrongly("hooks"),
  ...wrongly("logger"),
  ...wrongly("inspect"),
  works("hooks: a function", () => ({ hooks: throwing })),
  works("hooks: no functions", () => ({ hooks: { job: 5, target: null, depth: {}, inflight: "x", jobSeconds: true } })),
  works("inspect: an observer without functions", () => ({ inspect: { next: 5, error: 5, complete: 5 } })),
];

const clockOf = (read: () => unknown) => ({ clock: { now: read, monotonic: read } });

/** Where a clock gives no time or sets no timer, the system's stands in. */
export const CLOCKS: ConfiguredCase[] = [
  ...wrongly("clock"),
  works("a clock of NaN", () => clockOf(() => Number.NaN)),
  works("a clock of strings", () => clockOf(() => "5")),
  works("a clock of bigints", () => clockOf(() => 5n)),
  works("a clock of Infinity", () => clockOf(() => Number.POSITIVE_INFINITY)),
  works("a clock of promises", () => clockOf(async () => 5)),
  works("a clock of promises that reject", () => clockOf(async () => throwing())),
  works("a clock of 1e300", () => clockOf(() => 1e300)),
  works("a clock of -1e300", () => clockOf(() => -1e300)),
  works("a clock of fractions", () => clockOf(() => 1e12 + 0.5)),
  works("a clock that throws", () => clockOf(throwing)),
  works("a clock that throws every second time", () => clockOf(throwingHalf())),
  works("a clock that jumps to and fro", () => clockOf(jumping())),
  works("a clock whose every property throws", () => ({ clock: new Proxy({}, { get: throwing }) })),
  works("a clock whose timers throw", () => ({
    clock: { ...systemTime, setTimeout: throwing, clearTimeout: throwing },
  })),
  works("a clock whose timers are set and reject", () => ({
    ...{ clock: { ...systemTime, setTimeout: settingAndRejecting, clearTimeout: async () => throwing() } },
    targetTimeoutMs: 5_000,
  })),
  works("a clock without `clearTimeout`", () => ({ clock: { ...systemTime, setTimeout } })),
  works("a clock whose timers have odd ids", () => ({
    clock: { ...systemTime, setTimeout: () => revoked(), clearTimeout },
  })),
];

const systemTime = { now: () => Date.now() };

export const CONFIGS: ConfiguredCase[] = [
  ...[undefined, null, 5, SECRET].map((config) => refuses(`${JSON.stringify(config)}`, () => config, "TypeError")),
  refuses("a revoked proxy", () => revoked(), "TypeError"),
  refuses("a trapped proxy", () => trapped(), `Error: ${SECRET}`),
  works("frozen", (store) => Object.freeze({ store, fetch: () => ({ content: "" }) })),
  works("of an unknown option", (store) => ({ store, fetch: () => ({ content: "" }), workerz: Number.NaN })),
];

async function settingAndRejecting(fn: () => void, ms: number): Promise<never> {
  setTimeout(fn, ms).unref();
  return throwing();
}

function lacking(...methods: (keyof BatchStore)[]): ConfiguredCase["make"] {
  const none = Object.fromEntries(methods.map((method) => [method, undefined]));
  return (store) => ({ store: storeWith(store, none as object) });
}

function lackingLeft(): ConfiguredCase["make"] {
  return (store) => ({ store: storeWith(store, { left: undefined } as object), resume: () => undefined });
}

function throwingHalf(): () => number {
  let read = 0;
  return () => (read++ % 2 === 0 ? throwing() : 1e12);
}

function jumping(): () => number {
  let read = 0;
  return () => 1e12 * (read++ % 3);
}
