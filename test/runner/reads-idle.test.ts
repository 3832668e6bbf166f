import { expect, test } from "vitest";
import { RetryLaterError } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { batchOf, fieldsOf, rejection } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";

/** Notes whether a promise has resolved by now. */
function follow(promise: Promise<unknown>): { over: boolean } {
  const state = { over: false };
  void promise.then(() => {
    state.over = true;
  });
  return state;
}

test("idle resolves at once where no job is live", async () => {
  const { runner } = await startRunner({ fetch: () => ({ content: "" }) });
  await runner.idle();
});

test("idle resolves when the last live job has ended, with its end stored and told", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { runner, lines, submit } = await startRunner({ fetch: held.fetch });
  const ids = [await submit("alice", "u:1"), await submit("bob", "u:2")];
  const idle = follow(runner.idle());
  (await held.next()).succeed();
  const last = await held.next();
  await settled();
  expect(idle.over).toBe(false);
  last.succeed();
  await runner.idle();
  await settled();
  expect(idle.over).toBe(true);
  expect(lines.slice(-2)).toEqual(["job done", "jobSeconds"]);
  expect((await runner.status(ids[1] as string))?.job.status).toBe("done");
});

test("idle waits for a job that waits to retry", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { runner, clock, submit } = await startRunner({ fetch: held.fetch });
  await submit("alice", "u:1");
  const idle = follow(runner.idle());
  (await held.next()).fail(new RetryLaterError());
  await settled();
  expect(idle.over).toBe(false);
  clock.increment(2_000);
  (await held.next()).succeed();
  await settled();
  expect(idle.over).toBe(true);
});

test("idle waits for a submit that was called just before", async () => {
  const { runner, lines } = await startRunner({ fetch: () => ({ content: "" }) });
  const submitted = runner.submit(batchOf([{ url: "u:1" }]));
  await runner.idle();
  expect(lines).toContain("job done");
  await submitted;
});

test("idle does not wait for the target in flight of a cancelled job: that job is not live", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { runner, submit } = await startRunner({ fetch: held.fetch });
  const id = await submit("alice", "u:1");
  await held.next();
  await runner.cancel(id);
  await runner.idle();
});

test("idle resolves after close, though the rows still say live", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { runner, submit } = await startRunner({ fetch: held.fetch });
  await submit("alice", "u:1", "u:2");
  const call = await held.next();
  const before = follow(runner.idle());
  const closed = runner.close();
  call.succeed();
  await closed;
  await settled();
  expect(before.over).toBe(true);
  await runner.idle();
});

test("a runner is disposed of as it is closed, once", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { runner, submit } = await startRunner({ fetch: held.fetch });
  await submit("alice", "u:1");
  const call = await held.next();
  const disposed = Promise.resolve(runner[Symbol.asyncDispose]());
  const state = follow(disposed);
  await settled();
  expect([call.context.signal.aborted, state.over]).toEqual([true, false]);
  call.succeed();
  await disposed;
  expect(fieldsOf(await rejection(runner.submit(batchOf([{ url: "u:2" }]))))).toMatchObject({ code: "ERR_CLOSED" });
  await Promise.all([runner.close(), runner[Symbol.asyncDispose]()]);
});

test("await using closes a runner at the end of its block", async () => {
  const started = await startRunner({ fetch: () => ({ content: "" }) });
  {
    await using runner = started.runner;
    await runner.submit(batchOf([{ url: "u:1" }]));
  }
  expect(fieldsOf(await rejection(started.runner.submit(batchOf([{ url: "u:2" }]))))).toMatchObject({
    code: "ERR_CLOSED",
  });
});
