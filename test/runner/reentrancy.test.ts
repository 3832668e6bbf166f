import { describe, expect, test } from "vitest";
import { type BatchRunner, createBatchRunner, type FetchContext, openSqliteStore } from "../../src/index.js";
import { settled, untilTerminal } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

const batch = (caller: string, ...urls: string[]) => ({
  caller: { name: caller },
  callerClass: "",
  targets: urls.map((url) => ({ url })),
});

test("from inside a fetch: submit, status, results, watch, touch, cancel and the gauges work", async () => {
  const seen: Record<string, unknown> = {};
  let runner: BatchRunner | undefined;
  const started = await startRunner({
    async fetch(target, { jobId }) {
      if (target.url !== "outer" || runner === undefined) return { content: target.url };
      const other = await runner.submit(batch("bob", "inner"));
      const doomed = await runner.submit(batch("cem", "never"));
      seen.cancelled = await runner.cancel(doomed.id);
      seen.unknown = await runner.cancel("unknown");
      await runner.touch(jobId);
      seen.status = (await runner.status(jobId))?.targets.map(({ status }) => status);
      seen.results = [];
      for await (const result of runner.results(other.id)) (seen.results as unknown[]).push(result.status);
      for await (const job of runner.watch(jobId)) {
        seen.watched = job.status;
        break;
      }
      seen.inflight = runner.gauges.getSnapshot().context.inflight;
      return { content: other.id };
    },
  });
  runner = started.runner;
  const { id } = await runner.submit(batch("ann", "outer", "last"));
  await runner.idle();
  expect(seen).toEqual({
    cancelled: true,
    unknown: false,
    status: ["running", "pending"],
    results: ["pending"],
    watched: "running",
    inflight: 1,
  });
  const report = await runner.status(id);
  expect(report?.job.status).toBe("done");
  expect((await runner.status(String(report?.targets[0]?.result?.content)))?.job.status).toBe("done");
});

test("from inside a fetch: a job may cancel itself; its target is stored and no later one starts", async () => {
  let cancel: (context: FetchContext) => Promise<unknown> = async () => {};
  const { runner, lines, submit } = await startRunner({
    async fetch(_target, context) {
      await cancel(context);
      return { content: "" };
    },
  });
  cancel = ({ jobId }) => runner.cancel(jobId);
  const id = await submit("ann", "a", "b");
  await runner.idle();
  await settled();
  const report = await runner.status(id);
  expect([report?.job.status, report?.targets.map(({ status }) => status)]).toEqual(["cancelled", ["done", "pending"]]);
  expect(lines.slice(2)).toEqual(["inflight 1", "depth 0", "job cancelled", "inflight 0", "target ok 14"]);
});

test("from inside a fetch: the target may wait for a job that it submitted, where another worker is free", async () => {
  let runner: BatchRunner | undefined;
  const started = await startRunner({
    workers: 2,
    async fetch(target) {
      if (target.url !== "outer" || runner === undefined) return { content: "" };
      const { id } = await runner.submit(batch("bob", "inner"));
      return { content: (await untilTerminal(runner, id))?.status ?? "" };
    },
  });
  runner = started.runner;
  const { id } = await runner.submit(batch("ann", "outer"));
  await untilTerminal(runner, id);
  expect((await runner.status(id))?.targets[0]?.result).toEqual({ content: "done" });
});

const HOOKS = ["job", "target", "jobSeconds", "depth", "inflight"] as const;

describe("from inside a hook: submit, status, cancel, touch and watch work", () => {
  test.each(HOOKS)("%s", async (name) => {
    let runner: BatchRunner | undefined;
    const answers: unknown[] = [];
    const hook = async () => {
      if (runner === undefined || answers.length > 0) return;
      answers.push("called");
      const { id } = await runner.submit(batch("bob", "inner"));
      answers.push((await runner.status(id))?.job.id === id, await runner.cancel(id), await runner.cancel(id));
      await runner.touch(id);
      answers.push((await untilTerminal(runner, id))?.status);
    };
    const started = await startRunner({ fetch: (target) => ({ content: target.url }), hooks: { [name]: hook } });
    runner = started.runner;
    const { id } = await runner.submit(batch("ann", "a", "b"));
    await runner.idle();
    for (let time = 0; time < 5; time++) await settled();
    expect(answers).toEqual(["called", true, true, false, "cancelled"]);
    expect((await runner.status(id))?.job.status).toBe("done");
  });
});

test("from the `created` hook: the very job may be cancelled, and is never fetched", async () => {
  const { store } = await openStoreFile();
  const outcomes: string[] = [];
  const fetched: string[] = [];
  let runner: BatchRunner | undefined;
  runner = await createBatchRunner({
    store,
    fetch(target) {
      fetched.push(target.url);
      return { content: "" };
    },
    hooks: {
      job(outcome) {
        outcomes.push(outcome);
        if (outcome === "created") void store.list().then(([job]) => runner?.cancel(job?.id ?? ""));
      },
    },
  });
  const { id } = await runner.submit(batch("ann", "a"));
  await runner.idle();
  await settled();
  await runner.close();
  expect([outcomes, (await store.status(id))?.job.status]).toEqual([["created", "cancelled"], "cancelled"]);
  expect(fetched.length).toBeLessThanOrEqual(1);
});

test("a runner in another runner's fetch is a runner of its own", async () => {
  const innerStore = await openSqliteStore(":memory:");
  let inner: string | undefined;
  const { runner, submit } = await startRunner({
    async fetch() {
      const other = await createBatchRunner({ store: innerStore, fetch: () => ({ content: "" }) });
      const { id } = await other.submit(batch("ann", "a"));
      await other.close({ drain: true });
      inner = (await other.status(id))?.job.status;
      return { content: "" };
    },
  });
  await submit("ann", "a");
  await runner.idle();
  await innerStore.close();
  expect(inner).toBe("done");
});
