import { expect, onTestFinished, test } from "vitest";
import { type BatchRunner, type BatchStore, createBatchRunner, openSqliteStore } from "../../src/index.js";
import { heldFetch, untilTerminal } from "../../src/testing/index.js";
import { OwnerProcess } from "../support/owner-process.js";
import { recordHooks } from "../support/runner.js";
import { freshPath } from "../support/stores.js";

const batch = { caller: { name: "ann" }, callerClass: "", targets: [{ url: "u:1" }, { url: "u:2" }, { url: "u:3" }] };

/** A job of which the first target is stored and the second in mid-fetch when its owner is killed. */
async function killInMidFetch(path: string): Promise<string> {
  const owner = await OwnerProcess.start(path);
  const id = await owner.submit("ann", "u:1", "u:2", "u:3");
  await owner.told("fetch u:1");
  owner.tell({ command: "answer" });
  await owner.told("fetch u:2");
  await owner.kill();
  return id;
}

async function startAgain(path: string) {
  const store: BatchStore = await openSqliteStore(path);
  const held = heldFetch({ ignoreAbort: true });
  const { hooks, lines } = recordHooks();
  const runner: BatchRunner = await createBatchRunner({ store, fetch: held.fetch, hooks, jobsPerCaller: 8 });
  onTestFinished(async () => {
    await runner.close({ timeoutMs: 1 });
    await store.close();
  });
  return { store, runner, held, lines };
}

test("section 2: the next start settles what a killed owner left: target pending, job failed as interrupted", async () => {
  const path = freshPath();
  const id = await killInMidFetch(path);
  const { store, runner } = await startAgain(path);
  const pending = { options: {}, status: "pending", error: "", hint: "" };
  expect(await runner.status(id)).toEqual({
    job: {
      ...{ id, caller: "ann", callerClass: "", status: "failed", error: "interrupted", createdAt: expect.any(Number) },
      ...{ targetsTotal: 3, targetsDone: 1, targetsFailed: 0 },
    },
    targets: [
      { ...pending, index: 0, url: "u:1", status: "done", result: { content: "u:1" }, attempts: 1 },
      { ...pending, index: 1, url: "u:2", attempts: 1 },
      { ...pending, index: 2, url: "u:3", attempts: 0 },
    ],
  });
  await runner.idle();
  expect(await store.cancel(id)).toBe(false);
});

test("section 2, R4: the hook tells of the interrupted job once, before any submit, and nothing of it is fetched", async () => {
  const path = freshPath();
  await killInMidFetch(path);
  const { runner, held, lines } = await startAgain(path);
  expect(lines).toEqual(["job failed"]);
  await runner.submit({ ...batch, targets: [{ url: "u:other" }] });
  (await held.next()).succeed();
  await runner.idle();
  expect(held.urls).toEqual(["u:other"]);
  expect(lines.filter((line) => line.startsWith("job "))).toEqual(["job failed", "job created", "job done"]);
});

test("section 2, R1.2: the same batch submitted after a kill starts afresh, from its first target", async () => {
  const path = freshPath();
  const id = await killInMidFetch(path);
  const { runner, held } = await startAgain(path);
  const again = await runner.submit(batch);
  expect(again).toEqual({ id: expect.any(String), reused: false });
  expect(again.id).not.toBe(id);
  const attempts: unknown[] = [];
  for (let target = 0; target < 3; target++) {
    const call = await held.next();
    attempts.push([call.target.url, call.context.attempt]);
    call.succeed();
  }
  expect(await untilTerminal(runner, again.id)).toMatchObject({ status: "done", targetsDone: 3 });
  expect(attempts).toEqual([
    ["u:1", 1],
    ["u:2", 1],
    ["u:3", 1],
  ]);
  expect((await runner.status(id))?.job).toMatchObject({ status: "failed", error: "interrupted", targetsDone: 1 });
});

test("section 2: a second start after a kill finds nothing more to settle", async () => {
  const path = freshPath();
  await killInMidFetch(path);
  const first = await startAgain(path);
  await first.runner.close();
  const second = await startAgain(path);
  expect([first.lines, second.lines]).toEqual([["job failed"], []]);
});

test("section 2: a running target of a cancelled job goes back to pending too, and no hook tells of it", async () => {
  const path = freshPath();
  const owner = await OwnerProcess.start(path);
  const id = await owner.submit("ann", "u:1", "u:2");
  await owner.told("fetch u:1");
  const other = await openSqliteStore(path);
  expect(await other.cancel(id)).toBe(true);
  await other.close();
  await owner.kill();
  const { runner, lines } = await startAgain(path);
  expect(await runner.status(id)).toMatchObject({
    job: { status: "cancelled", error: "", targetsDone: 0 },
    targets: [{ status: "pending" }, { status: "pending" }],
  });
  expect(lines).toEqual([]);
});

test("section 2: every job that was live is interrupted, told of in submit order, and its slot is free", async () => {
  const path = freshPath();
  const owner = await OwnerProcess.start(path);
  const ids: string[] = [];
  for (let job = 0; job < 8; job++) ids.push(await owner.submit("ann", `u:${job}`));
  await owner.told("fetch u:0");
  await owner.kill();
  const { store, runner, lines } = await startAgain(path);
  expect(lines).toEqual(Array(8).fill("job failed"));
  expect((await store.list({ status: "failed" })).map((job) => [job.id, job.error])).toEqual(
    ids.toReversed().map((id) => [id, "interrupted"]),
  );
  for (let job = 0; job < 8; job++) await runner.submit({ ...batch, targets: [{ url: `u:${job}` }] });
  await expect(runner.submit(batch)).rejects.toMatchObject({ code: "ERR_CALLER_BUSY", count: 8 });
});
