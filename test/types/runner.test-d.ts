import type { Store } from "@xstate/store";
import { expectTypeOf, test } from "vitest";
import {
  BatchError,
  type BatchRunner,
  type BatchStore,
  type FetchOptions,
  type Job,
  type JobStatus,
  type Result,
  RetryLaterError,
  type Target,
  TargetError,
  type TargetState,
  type TargetStatus,
} from "../../src/index.js";

declare const runner: BatchRunner;
declare const store: BatchStore;
const caller = { name: "" };
const targets: Target[] = [{ url: "" }];

test("submit takes a whole batch and nothing else", () => {
  expectTypeOf(runner.submit({ caller, callerClass: "", targets })).resolves.toEqualTypeOf<{
    id: string;
    reused: boolean;
  }>();
  void runner.submit({ caller, callerClass: "", targets, idempotencyKey: "", signal: AbortSignal.timeout(1) });
  // @ts-expect-error: no caller
  void runner.submit({ callerClass: "", targets });
  // @ts-expect-error: a caller is an object with a name
  void runner.submit({ caller: "alice", callerClass: "", targets });
  // @ts-expect-error: no class
  void runner.submit({ caller, targets });
  // @ts-expect-error: no targets
  void runner.submit({ caller, callerClass: "" });
  // @ts-expect-error: a target is an object
  void runner.submit({ caller, callerClass: "", targets: [""] });
  // @ts-expect-error: a target has a url
  void runner.submit({ caller, callerClass: "", targets: [{ options: {} }] });
  // @ts-expect-error: a url is a string
  void runner.submit({ caller, callerClass: "", targets: [{ url: new URL("https://a.example") }] });
  // @ts-expect-error: no such option
  void runner.submit({ caller, callerClass: "", targets: [{ url: "", options: { modes: "" } }] });
  // @ts-expect-error: a mode is a string
  void runner.submit({ caller, callerClass: "", targets: [{ url: "", options: { mode: 1 } }] });
  // @ts-expect-error: a key is a string
  void runner.submit({ caller, callerClass: "", targets, idempotencyKey: 1 });
  // @ts-expect-error: a controller is no signal
  void runner.submit({ caller, callerClass: "", targets, signal: new AbortController() });
});

test("reads answer with jobs and targets", () => {
  expectTypeOf(runner.status).returns.resolves.toEqualTypeOf<
    { job: Job; targets: TargetStatus<FetchOptions>[] } | undefined
  >();
  expectTypeOf(runner.results).returns.toEqualTypeOf<AsyncIterable<TargetStatus<FetchOptions>>>();
  expectTypeOf(runner.watch).returns.toEqualTypeOf<AsyncIterable<Job>>();
  expectTypeOf(runner.cancel).returns.resolves.toBeBoolean();
  expectTypeOf(runner.touch).returns.resolves.toBeVoid();
  expectTypeOf(runner.idle).returns.resolves.toBeVoid();
  // @ts-expect-error: without an id there is nothing to read
  void runner.status();
  // @ts-expect-error: an id is a string
  void runner.cancel(1);
});

test("jobs and targets have the fields of the contract, and no more", () => {
  expectTypeOf<JobStatus>().toEqualTypeOf<"queued" | "running" | "done" | "partial" | "failed" | "cancelled">();
  expectTypeOf<TargetState>().toEqualTypeOf<"pending" | "running" | "done" | "failed">();
  expectTypeOf<Job>().toEqualTypeOf<{
    id: string;
    caller: string;
    callerClass: string;
    status: JobStatus;
    error: string;
    targetsTotal: number;
    targetsDone: number;
    targetsFailed: number;
    createdAt: number;
  }>();
  expectTypeOf<TargetStatus<{ depth: number }>>().toEqualTypeOf<{
    index: number;
    url: string;
    options: { depth: number };
    status: TargetState;
    result?: Result;
    error: string;
    hint: string;
    attempts: number;
  }>();
  expectTypeOf<FetchOptions>().toEqualTypeOf<{
    mode?: string;
    question?: string;
    pages?: string;
    grep?: string;
    jq?: string;
    context?: boolean;
    recover?: boolean;
  }>();
});

test("close takes drain and timeoutMs", () => {
  void runner.close();
  void runner.close({ drain: true, timeoutMs: 1 });
  // @ts-expect-error: drain is a boolean
  void runner.close({ drain: "yes" });
  // @ts-expect-error: durations end in Ms
  void runner.close({ timeout: 1 });
});

test("gauges are a store to look at", () => {
  expectTypeOf(runner.gauges.getSnapshot().context).toEqualTypeOf<{ live: number; inflight: number }>();
  expectTypeOf(runner.gauges).toExtend<Pick<Store<{ live: number; inflight: number }, never, never>, "getSnapshot">>();
  expectTypeOf(runner.gauges.select(({ live }) => live).get()).toBeNumber();
  // @ts-expect-error: the gauges belong to the runner
  runner.gauges = undefined;
  // @ts-expect-error: no such gauge
  runner.gauges.select(({ queued }) => queued);
});

test("a store lists and cancels for people", () => {
  expectTypeOf(store.list({ caller: "", status: "done", limit: 1, before: "" })).resolves.toEqualTypeOf<Job[]>();
  void store.list();
  // @ts-expect-error: no such status
  void store.list({ status: "ended" });
  // @ts-expect-error: a limit is a number
  void store.list({ limit: "1" });
});

test("errors say what they carry", () => {
  expectTypeOf<BatchError>().toExtend<
    Error & { readonly index?: number; readonly limit?: number; readonly count?: number }
  >();
  void new TargetError("", { status: 404, hint: "", cause: new Error("") });
  void new RetryLaterError();
  void new RetryLaterError("", { afterMs: 1, cause: undefined });
  // @ts-expect-error: a target error has a message
  void new TargetError();
  // @ts-expect-error: a status is a number
  void new TargetError("", { status: "404" });
  // @ts-expect-error: durations are numbers
  void new RetryLaterError("", { afterMs: "1" });
  // @ts-expect-error: no such code
  void new BatchError("ERR_NOPE");
});
