import { describe, expect, onTestFinished, test } from "vitest";
import { type BatchRunner, type BatchStore, createBatchRunner, type FetchFunc, type Result } from "../../src/index.js";
import { settled, untilTerminal } from "../../src/testing/index.js";
import { rejection } from "../support/raw-submit.js";
import { openStore } from "../support/stores.js";
import { troubledStore } from "../support/troubled-store.js";
import { PLACES, type Place } from "./inside-places.js";
import { aftermath, GOOD, openScene, type Scene, SECRET, UNHARMED } from "./scene.js";

const batch = (caller: string, ...urls: string[]) => ({
  caller: { name: caller },
  callerClass: "",
  targets: urls.map((url) => ({ url })),
});

/** A job of three targets on a runner that is called once from that place; `called` is what the call came to. */
async function callFrom(place: Place, call: (runner: BatchRunner, jobId: string) => Promise<unknown>) {
  let jobId = "";
  let isCalled = false;
  let called: Promise<unknown> | undefined;
  const callOnce = () => {
    if (jobId === "" || isCalled) return;
    // Set first, since the call may come by the same place.
    isCalled = true;
    called = call(scene.runner, jobId);
  };
  const fetch: FetchFunc = (target, context) => {
    if (target.url !== SECRET) return { content: "" };
    jobId = context.jobId;
    return (place.answer?.(callOnce) ?? { content: "" }) as Result;
  };
  const { store } = await openStore("memory");
  const scene: Scene = await openScene({ store, fetch, ...place.config?.(callOnce) });
  place.attach?.(scene.runner, callOnce);
  const id = await scene.submit("ann", SECRET, GOOD, `${GOOD}2`);
  await settled();
  return { scene, stands: await standing(store, id), called: await called };
}

async function standing(store: BatchStore, id: string): Promise<string> {
  const report = await store.status(id);
  return `${report?.job.status}: ${report?.targets.map(({ status }) => status).join(" ")}`;
}

describe("R8: from inside", () => {
  test.each(PLACES)("$name, a submit is taken and its job runs", async (place) => {
    const { scene, stands, called } = await callFrom(place, (runner) => runner.submit(batch("bob", GOOD)));
    const { id } = called as { id: string };
    const inner = (await scene.runner.status(id))?.job.status;
    const ended = place.closed.includes("failed") ? "partial: failed done done" : "done: done done done";
    expect({ stands, inner, ...(await aftermath(scene)) }).toEqual({ stands: ended, inner: "done", ...UNHARMED });
  });

  test.each(PLACES)("$name, a job that is not over is cancelled", async (place) => {
    const { scene, stands, called } = await callFrom(place, (runner, id) => runner.cancel(id));
    const isOver = place.cancelled.startsWith("done");
    expect({ stands, called, ...(await aftermath(scene)) }).toEqual({
      stands: place.cancelled,
      called: !isOver,
      ...UNHARMED,
    });
  });

  test.each(PLACES)("$name, a runner is closed and leaves its store to the next", async (place) => {
    const { scene, stands, called } = await callFrom(place, (runner) => runner.close());
    const { store } = scene;
    const next = await createBatchRunner({ store, fetch: () => ({ content: "" }) });
    onTestFinished(() => next.close());
    expect({ stands, called }).toEqual({ stands: place.closed, called: undefined });
    expect(await aftermath({ ...scene, runner: next, submit: (caller, url) => submitTo(next, caller, url!) })).toEqual(
      UNHARMED,
    );
  });
});

async function submitTo(runner: BatchRunner, caller: string, url: string): Promise<string> {
  return (await runner.submit(batch(caller, url))).id;
}

test("R1, R8: a batch that closes the runner while it is read is refused, and the store hears nothing of it", async () => {
  const { store: real } = await openStore("memory");
  const { store, calls } = troubledStore(real);
  const { runner, strays } = await openScene({ store, fetch: () => ({ content: "" }) });
  calls.length = 0;
  let closing: Promise<void> | undefined;
  const target = Object.defineProperty({}, "url", {
    get() {
      closing = runner.close();
      return SECRET;
    },
  }) as { url: string };
  const refused = await rejection(runner.submit({ ...batch("ann"), targets: [target] }));
  await closing;
  await settled();
  expect({ refused: String(refused), calls, strays }).toEqual({
    refused: "BatchError: runner closed",
    calls: [],
    strays: [],
  });
});

test("R1, R8: a batch that submits another while it is read: both run, the inner one first", async () => {
  const { runner } = await openScene({ fetch: () => ({ content: "" }) });
  let inner: Promise<{ id: string }> | undefined;
  const target = Object.defineProperty({}, "url", {
    get() {
      inner = runner.submit(batch("bob", GOOD));
      return SECRET;
    },
  }) as { url: string };
  const outer = await runner.submit({ ...batch("ann"), targets: [target] });
  const ids = [(await inner)!.id, outer.id];
  const ends = await Promise.all(ids.map((id) => untilTerminal(runner, id)));
  expect(ends.map((job) => job?.status)).toEqual(["done", "done"]);
});
