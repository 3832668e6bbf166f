import { expectTypeOf, test } from "vitest";
import {
  type BatchError,
  type BatchRunner,
  type BatchStore,
  type Caller,
  createBatchRunner,
  type FetchOptions,
  type Job,
  type Result,
  type TargetStatus,
} from "../../src/index.js";

declare const store: BatchStore;
const result: Result = { content: "" };

test("callers and options have the standard types unless the service names its own", async () => {
  const runner = await createBatchRunner({
    store,
    fetch(target, { caller }) {
      expectTypeOf(target.options).toEqualTypeOf<FetchOptions | undefined>();
      expectTypeOf(caller).toEqualTypeOf<Caller>();
      return result;
    },
  });
  expectTypeOf(runner).toEqualTypeOf<BatchRunner<Caller, FetchOptions>>();
});

test("the service's own callers and options reach the fetch, the submit and the reads", async () => {
  type Tenant = Caller & { tenant: number };
  type Options = { depth: number };
  const runner = await createBatchRunner<Tenant, Options>({
    store,
    fetch: (target, { caller }) => {
      expectTypeOf(target.options).toEqualTypeOf<Options | undefined>();
      expectTypeOf(caller.tenant).toBeNumber();
      return result;
    },
  });
  const report = await runner.status("");
  expectTypeOf(report?.targets).toEqualTypeOf<TargetStatus<Options>[] | undefined>();
  expectTypeOf(runner.results).returns.toEqualTypeOf<AsyncIterable<TargetStatus<Options>>>();

  const caller = { name: "", tenant: 1 };
  void runner.submit({ caller, callerClass: "", targets: [{ url: "", options: { depth: 1 } }] });
  // @ts-expect-error: the caller lacks its tenant
  void runner.submit({ caller: { name: "" }, callerClass: "", targets: [{ url: "" }] });
  // @ts-expect-error: the options are of another type
  void runner.submit({ caller, callerClass: "", targets: [{ url: "", options: { depth: "1" } }] });
});

test("a fetch answers with a result, at once or later", () => {
  void createBatchRunner({ store, fetch: async () => result });
  // @ts-expect-error: content is missing
  void createBatchRunner({ store, fetch: () => ({ meta: {} }) });
});

test("watch, disposal and the codes of errors", () => {
  expectTypeOf<BatchRunner["watch"]>().returns.toEqualTypeOf<AsyncIterable<Job>>();
  expectTypeOf<BatchRunner>().toExtend<AsyncDisposable>();
  expectTypeOf<BatchError["code"]>().toEqualTypeOf<
    | "ERR_NO_TARGETS"
    | "ERR_TOO_MANY_TARGETS"
    | "ERR_CALLER_BUSY"
    | "ERR_BUSY"
    | "ERR_INVALID_TARGET"
    | "ERR_CLOSED"
    | "ERR_STORE_IN_USE"
  >();
});
