import { expect, test } from "vitest";
import { RetryLaterError, type Target, TargetError } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";

test("heldFetch: calls come in the order they were made, and the test answers each when it likes", async () => {
  const { fetch, next, urls } = heldFetch();
  const { runner, submit } = await startRunner({ fetch, workers: 2 });
  const [a, b] = [await submit("ann", "a1"), await submit("bob", "b1")];
  await settled();
  const [first, second] = [await next(), await next()];
  second.succeed({ content: "mine" });
  expect(await untilTerminal(runner, b)).toMatchObject({ status: "done" });
  expect(await runner.status(a)).toMatchObject({ job: { status: "running" } });
  first.succeed();
  await runner.idle();
  const results = [await runner.status(a), await runner.status(b)].map((report) => report?.targets[0]?.result);
  expect({ urls, results }).toEqual({ urls: ["a1", "b1"], results: [{ content: "a1" }, { content: "mine" }] });
});

test("heldFetch: whoever asks for a call before it is made gets it, in the order of asking", async () => {
  const held = heldFetch();
  const asked = [held.next(), held.next()];
  const { submit } = await startRunner({ fetch: held.fetch, workers: 2 });
  await submit("ann", "a");
  await submit("bob", "b");
  const urls = (await Promise.all(asked)).map(({ target }) => target.url);
  expect([urls, held.waiting]).toEqual([["a", "b"], 0]);
});

test("heldFetch: a call tells its target and context as the runner gave them, of the runner's own types", async () => {
  interface Person {
    name: string;
    plan: string;
  }
  const held = heldFetch<Person, { depth: number }>();
  const { createBatchRunner, openSqliteStore } = await import("../../src/index.js");
  const store = await openSqliteStore(":memory:");
  const runner = await createBatchRunner({ store, fetch: held.fetch });
  const targets: Target<{ depth: number }>[] = [{ url: "a", options: { depth: 3 } }];
  const caller: Person = { name: "ann", plan: "gold" };
  const { id } = await runner.submit({ caller, callerClass: "", targets });
  const call = await held.next();
  expect([call.target.options?.depth, call.context.caller.plan, call.context]).toEqual([
    3,
    "gold",
    { caller, jobId: id, index: 0, attempt: 1, signal: expect.any(AbortSignal) },
  ]);
  call.succeed();
  await runner.idle();
  await runner.close();
  await store.close();
});

test("heldFetch: a call fails with what the test gives it, and only its first answer counts", async () => {
  const held = heldFetch();
  const { runner, clock, submit } = await startRunner({ fetch: held.fetch });
  const id = await submit("ann", "a");
  (await held.next()).fail(new RetryLaterError());
  await settled();
  clock.increment(2_000);
  const again = await held.next();
  again.fail(new TargetError("gone"));
  again.succeed();
  await runner.idle();
  expect((await runner.status(id))?.targets).toMatchObject([{ status: "failed", error: "gone", attempts: 2 }]);
});

test("heldFetch: `waiting` counts the calls that `next()` has not handed out", async () => {
  const held = heldFetch();
  const { submit } = await startRunner({ fetch: held.fetch, workers: 2 });
  const counts = [held.waiting];
  for (const url of ["a", "b", "c"]) {
    await submit("ann", url);
    await settled();
    counts.push(held.waiting);
  }
  await held.next();
  counts.push(held.waiting);
  expect(counts).toEqual([0, 1, 2, 2, 1]);
});

test("heldFetch: closing rejects the calls that wait, as it does those of the platform's fetch", async () => {
  const held = heldFetch();
  const { runner, store, submit } = await startRunner({ fetch: held.fetch, workers: 2 });
  const ids = [await submit("ann", "taken"), await submit("bob", "waiting")];
  const taken = await held.next();
  await settled();
  await runner.close();
  taken.succeed();
  const targets = (await Promise.all(ids.map((id) => store.status(id)))).map((report) => report?.targets[0]?.status);
  expect({ targets, waiting: held.waiting }).toEqual({ targets: ["pending", "pending"], waiting: 0 });
});

test("heldFetch: a call under a signal that is aborted already rejects, and is handed to nobody", async () => {
  const held = heldFetch();
  const reason = new Error("over");
  const context = { caller: { name: "ann" }, signal: AbortSignal.abort(reason), jobId: "1", index: 0, attempt: 1 };
  await expect(held.fetch({ url: "a" }, context)).rejects.toBe(reason);
  expect([held.waiting, held.urls]).toEqual([0, ["a"]]);
});

test("heldFetch: with `ignoreAbort` closing waits until the test answers, and stores the answer", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { runner, store, submit } = await startRunner({ fetch: held.fetch });
  const id = await submit("ann", "a");
  const call = await held.next();
  let closed = false;
  const closing = runner.close().then(() => {
    closed = true;
  });
  await settled();
  expect([call.context.signal.aborted, closed]).toEqual([true, false]);
  call.succeed();
  await closing;
  expect(await store.status(id)).toMatchObject({ job: { status: "done" } });
});
