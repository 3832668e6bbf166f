import { expectTypeOf, test } from "vitest";
import { SimulatedClock } from "xstate";
import {
  type BatchStore,
  type Caller,
  type Clock,
  createBatchRunner,
  type FetchContext,
  type FetchFunc,
  type Hooks,
  openSqliteStore,
  type Result,
  type RunnerConfig,
} from "../../src/index.js";

declare const store: BatchStore;
const fetch = (): Result => ({ content: "" });

test("a store and a fetch are all that a runner needs, and both are needed", () => {
  void createBatchRunner({ store, fetch });
  // @ts-expect-error: no store
  void createBatchRunner({ fetch });
  // @ts-expect-error: no fetch
  void createBatchRunner({ store });
  // @ts-expect-error: the store is still being opened
  void createBatchRunner({ store: openSqliteStore(":memory:"), fetch });
  // @ts-expect-error: a path is no store
  void createBatchRunner({ store: "jobs.sqlite", fetch });
});

test("every number option is a number or absent, and says its unit", () => {
  type NumberName =
    | "ttlMs"
    | "targetsPerJob"
    | "jobsPerCaller"
    | "jobsTotal"
    | "workers"
    | "workersMax"
    | "maxBytes"
    | "retryWaitMs"
    | "retryForMs"
    | "targetTimeoutMs"
    | "maxInterrupted";
  expectTypeOf<Pick<RunnerConfig, NumberName>>().toEqualTypeOf<{ [K in NumberName]?: number }>();
  // @ts-expect-error: a string is no number
  void createBatchRunner({ store, fetch, workers: "2" });
  // @ts-expect-error: null is no number
  void createBatchRunner({ store, fetch, ttlMs: null });
  // @ts-expect-error: a bigint is no number
  void createBatchRunner({ store, fetch, maxBytes: 1n });
  // @ts-expect-error: durations end in Ms
  void createBatchRunner({ store, fetch, ttl: 1_000 });
  // @ts-expect-error: no such option
  void createBatchRunner({ store, fetch, concurrency: 2 });
});

test("a store is opened with the durability it names", () => {
  void openSqliteStore(":memory:");
  void openSqliteStore("jobs.sqlite", { synchronous: "full" });
  // @ts-expect-error: no such durability
  void openSqliteStore("jobs.sqlite", { synchronous: "off" });
  // @ts-expect-error: no path
  void openSqliteStore();
});

test("hooks are named, and typed by what they are told", () => {
  expectTypeOf<keyof Hooks>().toEqualTypeOf<"job" | "target" | "jobSeconds" | "depth" | "inflight">();
  type Told<K extends keyof Hooks> = Parameters<Required<Hooks>[K]>;
  expectTypeOf<Told<"job">>().toEqualTypeOf<
    [outcome: "created" | "reused" | "done" | "partial" | "failed" | "cancelled"]
  >();
  expectTypeOf<Told<"target">>().toEqualTypeOf<[error: unknown, durationMs: number, resultBytes: number]>();
  expectTypeOf<Told<"jobSeconds">>().toEqualTypeOf<[seconds: number]>();
  expectTypeOf<Told<"depth">>().toEqualTypeOf<[live: number]>();
  expectTypeOf<Told<"inflight">>().toEqualTypeOf<[count: number]>();
  // @ts-expect-error: no such hook
  void createBatchRunner({ store, fetch, hooks: { jobs: () => {} } });
  // @ts-expect-error: depth is told a number
  void createBatchRunner({ store, fetch, hooks: { depth: (live: string) => live } });
  // @ts-expect-error: a hook is a function
  void createBatchRunner({ store, fetch, hooks: { inflight: 1 } });
});

test("a clock tells the time and sets timers; xstate's fits", () => {
  expectTypeOf<SimulatedClock>().toExtend<Clock>();
  void createBatchRunner({ store, fetch, clock: new SimulatedClock() });
  void createBatchRunner({ store, fetch, inspect: (event) => event.type });
  // @ts-expect-error: no timers
  void createBatchRunner({ store, fetch, clock: { now: () => 0 } });
  // @ts-expect-error: console is no pino logger
  void createBatchRunner({ store, fetch, logger: console });
});

test("a fetch is given its target and what goes with it", () => {
  expectTypeOf<FetchContext>().toEqualTypeOf<{
    caller: Caller;
    signal: AbortSignal;
    jobId: string;
    index: number;
    attempt: number;
  }>();
  expectTypeOf<ReturnType<FetchFunc>>().toEqualTypeOf<Result | Promise<Result>>();
  expectTypeOf<Result>().toEqualTypeOf<{ content: string; meta?: Record<string, unknown> }>();
  // @ts-expect-error: a string is no result
  void createBatchRunner({ store, fetch: async () => "text" });
  // @ts-expect-error: nothing is no result
  void createBatchRunner({ store, fetch: () => {} });
  // @ts-expect-error: content is a string
  void createBatchRunner({ store, fetch: () => ({ content: 1 }) });
  // @ts-expect-error: meta is an object
  void createBatchRunner({ store, fetch: () => ({ content: "", meta: "" }) });
  // @ts-expect-error: a target has no body
  void createBatchRunner({ store, fetch: (target) => ({ content: target.body }) });
  // @ts-expect-error: the context has no job
  void createBatchRunner({ store, fetch: (_target, { job }) => ({ content: job }) });
});

test("the types of callers and options are taken from the fetch", async () => {
  type Tenant = Caller & { tenant: number };
  const typed: FetchFunc<Tenant, { depth: number }> = ({ options }, { caller }) => ({
    content: `${options?.depth} ${caller.tenant}`,
  });
  const runner = await createBatchRunner({ store, fetch: typed });
  const caller = { name: "", tenant: 1 };
  void runner.submit({ caller, callerClass: "", targets: [{ url: "", options: { depth: 1 } }] });
  // @ts-expect-error: no tenant
  void runner.submit({ caller: { name: "" }, callerClass: "", targets: [{ url: "" }] });
  // @ts-expect-error: a caller has a name
  void createBatchRunner<{ tenant: number }>({ store, fetch });
  // @ts-expect-error: options are an object
  void createBatchRunner<Caller, string>({ store, fetch });
});
