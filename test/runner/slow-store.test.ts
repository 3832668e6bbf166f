import { expect, test } from "vitest";
import type { BatchStore } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { startOnManualClock } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { storeWith } from "../support/store-with.js";
import { troubledStore } from "../support/troubled-store.js";

/** A store that answers one method only when it is let. */
async function startSlow(method: "sweep" | "evict" | "settle", config: { maxBytes?: number } = {}) {
  const { store: real } = await openStoreFile();
  const trouble = troubledStore(real);
  const waiting: (() => void)[] = [];
  const slow = { on: false };
  const answer = trouble.store[method] as (request: unknown) => Promise<unknown>;
  const store = storeWith(trouble.store, {
    async [method](request: never) {
      const answered = await answer(request);
      if (slow.on) await new Promise<void>((resolve) => waiting.push(resolve));
      return answered;
    },
  } as Partial<BatchStore>);
  const held = heldFetch({ ignoreAbort: true });
  const started = await startOnManualClock({ store, fetch: held.fetch, ...config });
  const letGo = () => {
    slow.on = false;
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { ...started, held, slow, letGo, waiting, refused: trouble.refused, real };
}

test("R5: a job whose submit is still sweeping is cancelled at once", async () => {
  const { runner, submit, slow, letGo, lines, real } = await startSlow("sweep");
  slow.on = true;
  const submitted = submit("ann", "a");
  await settled();
  const [job] = await real.list();
  expect(await runner.cancel(job?.id ?? "")).toBe(true);
  expect(lines.filter((line) => !line.startsWith("inflight"))).toEqual([
    "depth 1",
    "job created",
    "depth 0",
    "job cancelled",
  ]);
  letGo();
  await submitted;
});

test("R4: the end of a job whose last outcome is stored by `close()` is told as any other", async () => {
  const { runner, submit, held, refused, lines } = await startSlow("evict");
  await submit("ann", "a");
  const call = await held.next();
  refused.add("settle");
  call.succeed();
  await settled();
  refused.clear();
  await runner.close();
  expect(lines.slice(4)).toEqual(["depth 0", "target ok 15", "job done", "jobSeconds"]);
});

test("R4: `close()` waits for a write that a job tries by itself, and its end is told", async () => {
  const { runner, clock, submit, held, refused, lines, slow, letGo, waiting } = await startSlow("evict", {
    maxBytes: 1,
  });
  await submit("ann", "a");
  const call = await held.next();
  refused.add("settle");
  call.succeed();
  await settled();
  refused.clear();
  slow.on = true;
  clock.jump(2_000);
  await settled();
  expect(waiting.length).toBe(1);
  const closed = runner.close();
  await settled();
  letGo();
  await closed;
  expect(lines.slice(-2)).toEqual(["job done", "jobSeconds"]);
});

test("close: once its time limit is over, nothing is told of a write that is answered later", async () => {
  const { runner, clock, submit, held, lines, slow, letGo } = await startSlow("settle");
  await submit("ann", "a");
  slow.on = true;
  (await held.next()).succeed();
  await settled();
  const closed = runner.close({ timeoutMs: 10 });
  clock.jump(10);
  await closed;
  const told = [...lines];
  letGo();
  await settled();
  expect(lines).toEqual(told);
});

test("close: a turn that a job is given right after a write of its own is waited for", async () => {
  const { runner, clock, submit, held, refused, lines } = await startSlow("evict");
  await submit("ann", "a", "b");
  const call = await held.next();
  refused.add("settle");
  call.succeed();
  await settled();
  refused.clear();
  clock.jump(2_000);
  const next = await held.next();
  const closed = runner.close();
  await settled();
  next.succeed();
  await closed;
  expect(lines.slice(-2)).toEqual(["job done", "jobSeconds"]);
});
