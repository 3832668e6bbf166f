import { describe, expect, test } from "vitest";
import { type BatchRunner, createBatchRunner, type FetchContext } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

/** Resolves with what `work` gives, or with `stuck` where that takes more turns than anything here needs. */
async function orStuck<T>(work: Promise<T>): Promise<T | "stuck"> {
  const patience = async () => {
    for (let time = 0; time < 20; time++) await settled();
    return "stuck" as const;
  };
  return Promise.race([work, patience()]);
}

const HOOKS = ["job", "target", "jobSeconds", "depth", "inflight"] as const;

describe("close() from inside a hook waits for what is in flight and ends", () => {
  test.each(HOOKS)("%s", async (name) => {
    const { store } = await openStoreFile();
    let runner: BatchRunner | undefined;
    let closing: Promise<void> | undefined;
    const hook = () => {
      closing ??= runner?.close();
      return closing;
    };
    runner = await createBatchRunner({ store, fetch: (target) => ({ content: target.url }), hooks: { [name]: hook } });
    const targets = [{ url: "a" }, { url: "b" }];
    await runner.submit({ caller: { name: "ann" }, callerClass: "", targets }).catch(() => {});
    for (let time = 0; time < 5; time++) await settled();
    expect(closing).toBeInstanceOf(Promise);
    expect(await orStuck(closing as Promise<void>)).toBe(undefined);
    const again = await createBatchRunner({ store, fetch: () => ({ content: "" }) });
    await again.close();
  });
});

/** A runner of two workers, of which the fetch of `closer` runs `inside`, and that of any other url waits for `release`. */
async function startCloser(inside: (runner: BatchRunner, context: FetchContext) => Promise<unknown>) {
  const { store, raw } = await openStoreFile();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let runner: BatchRunner | undefined;
  const fetched: string[] = [];
  const started = await startRunner({
    store,
    workers: 2,
    async fetch(target, context) {
      fetched.push(target.url);
      if (target.url === "closer") await inside(runner as BatchRunner, context);
      else await released;
      return { content: "" };
    },
  });
  runner = started.runner;
  return { ...started, raw, release, fetched };
}

describe("close() from inside a fetch", () => {
  test.each([
    ["at once", async () => {}],
    ["deep within it", settled],
  ])("does not wait for that fetch, and does not drain: %s", async (_name, first) => {
    let closed: unknown;
    const { raw, fetched, submit } = await startCloser(async (runner) => {
      await first();
      closed = await orStuck(runner.close({ drain: true }).then(() => "closed"));
    });
    const id = await submit("ann", "closer", "next");
    for (let time = 0; time < 30; time++) await settled();
    expect(closed).toBe("closed");
    expect(fetched).toEqual(["closer"]);
    // Its own late answer writes nothing: the next start recovers the row.
    expect(jobRows(raw, id).targets).toEqual(["running", "pending"]);
  });

  test("waits for the fetches of other jobs", async () => {
    let closed = false;
    const { raw, release, fetched, submit } = await startCloser(async (runner) => {
      await settled();
      await runner.close();
      closed = true;
    });
    const other = await submit("bob", "other");
    await submit("ann", "closer");
    for (let time = 0; time < 5; time++) await settled();
    expect([fetched, closed]).toEqual([["other", "closer"], false]);
    release();
    for (let time = 0; time < 5; time++) await settled();
    expect(closed).toBe(true);
    expect(jobRows(raw, other).targets).toEqual(["done"]);
  });

  test("leaves the signal of that fetch aborted, and the process free of it", async () => {
    let aborted: boolean | undefined;
    const { runner, submit } = await startCloser(async (closing, { signal }) => {
      await closing.close();
      aborted = signal.aborted;
    });
    await submit("ann", "closer");
    for (let time = 0; time < 5; time++) await settled();
    expect(aborted).toBe(true);
    expect(runner.gauges.getSnapshot().context.inflight).toBe(0);
    await runner.idle();
  });
});

test("close({ drain }) by code that a fetch left behind, after that fetch has ended, is not from inside a fetch: it drains", async () => {
  let leftBehind: Promise<unknown> = Promise.resolve();
  let go = () => {};
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { runner, raw, release, submit } = await startCloser(async (closing) => {
    leftBehind = gone.then(() => closing.close({ drain: true }));
  });
  const id = await submit("ann", "closer", "b", "c");
  await settled();
  go();
  await settled();
  release();
  await leftBehind;
  expect(jobRows(raw, id).targets).toEqual(["done", "done", "done"]);
  await runner.idle();
});

test("close() in the `inflight` hook, right before a fetch, keeps that fetch from being called", async () => {
  const { store, raw } = await openStoreFile();
  const held = heldFetch();
  let closed: Promise<void> | undefined;
  const hooks = {
    inflight(count: number) {
      if (count > 0) closed ??= runner.close();
    },
  };
  const { runner, submit } = await startRunner({ store, fetch: held.fetch, hooks });
  const id = await submit("ann", "a", "b");
  await settled();
  await closed;
  expect(held.urls).toEqual([]);
  expect(jobRows(raw, id).targets).toEqual(["pending", "pending"]);
  expect(raw.prepare("select sum(attempts) from batch_target").pluck().get()).toBe(0);
  expect(runner.gauges.get().context.inflight).toBe(0);
});

test("close() from inside a fetch, while a drain that was begun outside is under way, leaves nothing undone", async () => {
  const { store } = await openStoreFile();
  let closeInside = () => {};
  const held = heldFetch();
  const { runner, submit } = await startRunner({
    store,
    jobsPerCaller: 2,
    fetch(target, context) {
      if (target.url === "a1") closeInside();
      return held.fetch(target, context);
    },
  });
  const ids = [await submit("ann", "a1", "a2", "a3"), await submit("bob", "b1", "b2")];
  const drained = runner.close({ drain: true });
  closeInside = () => void runner.close();
  for (let turn = 0; turn < 5; turn++) (await held.next()).succeed();
  await drained;
  expect(held.urls).toEqual(["a1", "b1", "a2", "b2", "a3"]);
  for (const id of ids) expect((await store.findJob(id))?.status).toBe("done");
});
