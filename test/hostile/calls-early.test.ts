import { describe, expect, onTestFinished, test } from "vitest";
import { type BatchRunner, createBatchRunner, type FetchFunc, type Hooks } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { openStore } from "../support/stores.js";
import { thenable, throwing } from "./odd-values.js";
import { GOOD, openScene, type Scene, SECRET } from "./scene.js";

type Call = (runner: BatchRunner, id: string) => Promise<unknown>;

/** A job of two targets on a runner that is called from a hook while that job is being submitted. */
async function callWhileSubmitting(hook: keyof Hooks, call: Call) {
  let runner: BatchRunner | undefined;
  let called: Promise<unknown> | undefined;
  const callOnce = () => {
    if (runner !== undefined) called ??= store.list().then(([job]) => call(scene.runner, job!.id));
  };
  const { store } = await openStore("memory");
  const scene: Scene = await openScene({ store, fetch: () => ({ content: "" }), hooks: { [hook]: callOnce } });
  runner = scene.runner;
  const id = await scene.submit("ann", SECRET, GOOD);
  await settled();
  const stands = (await store.status(id))?.job.status;
  return { stands, called: await called, strays: scene.strays, scene };
}

describe.each(["depth", "job"] as const)("R1, R8: called by the hook `%s` while a job is submitted,", (hook) => {
  test("cancel cancels it before any target starts", async () => {
    const { scene, ...left } = await callWhileSubmitting(hook, (runner, id) => runner.cancel(id));
    expect(left).toEqual({ stands: "cancelled", called: true, strays: [] });
    expect(scene.runner.gauges.getSnapshot().context).toEqual({ live: 0, inflight: 0 });
  });

  test("close leaves a row that the next start finds", async () => {
    const { scene, ...left } = await callWhileSubmitting(hook, (runner) => runner.close());
    expect(left).toMatchObject({ called: undefined, strays: [] });
    const { store, clock } = scene;
    const next = await createBatchRunner({ store, clock, fetch: () => ({ content: "" }) });
    onTestFinished(() => next.close());
    expect((await store.list()).map(({ error }) => error)).toEqual(["interrupted"]);
  });

  test("watch sees it end", async () => {
    const { called } = await callWhileSubmitting(hook, (runner, id) => untilTerminal(runner, id));
    expect(called).toMatchObject({ status: "done", targetsDone: 2 });
  });
});

test("R8: a close that is refused inside of a fetch leaves that fetch to be waited for", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const refused: string[] = [];
  const fetch: FetchFunc = async (target, context) => {
    for (const options of [{ timeoutMs: -1 }, null, Object.defineProperty({}, "drain", { get: () => throwing() })]) {
      await runner.close(options as object).catch((error: Error) => refused.push(error.name));
    }
    return held.fetch(target, context);
  };
  const { runner, submit } = await openScene({ fetch });
  const id = await submit("ann", SECRET);
  const call = await held.next();
  const order: string[] = [];
  const idle = runner.idle().then(() => order.push("idle"));
  await settled();
  order.push("answered");
  call.succeed();
  await idle;
  expect([refused, order, (await untilTerminal(runner, id))?.status]).toEqual([
    ["RangeError", "TypeError", "Error"],
    ["answered", "idle"],
    "done",
  ]);
});

test("R8: a close from an abort listener of a closing runner gets the first one's promise, and a submit is refused", async () => {
  const inner: { closing?: Promise<void>; submitted?: Promise<string> } = {};
  const fetch: FetchFunc = (_target, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        inner.closing = runner.close({ drain: true });
        inner.submitted = submit("bob", GOOD).catch(String);
        reject(signal.reason);
      });
    });
  const { runner, store, submit, strays } = await openScene({ fetch });
  const id = await submit("ann", SECRET);
  await settled();
  const closing = runner.close();
  await closing;
  expect({ same: inner.closing === closing, submitted: await inner.submitted, strays }).toEqual({
    same: true,
    submitted: "BatchError: runner closed",
    strays: [],
  });
  expect(await store.list()).toMatchObject([{ id, status: "running" }]);
});

test("R8: a lazy thenable that a fetch returns may wait for a close of its own, as the fetch itself may", async () => {
  const closed: string[] = [];
  const closing = async (resolve: (value: unknown) => void) => {
    await runner.close({ drain: true });
    closed.push("waited for");
    resolve({ content: "" });
  };
  const { runner, store, submit, strays } = await openScene({ fetch: () => thenable(closing) as { content: string } });
  const id = await submit("ann", SECRET, GOOD);
  await settled();
  // Whatever it answers after its close comes too late, and its row is for the next start.
  const targets = (await store.status(id))?.targets.map(({ status }) => status);
  expect({ closed, targets, strays }).toEqual({ closed: ["waited for"], targets: ["running", "pending"], strays: [] });
});
