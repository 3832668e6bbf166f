import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Target } from "../../src/index.js";
import { heldFetch } from "../../src/testing/index.js";
import { batchOf, submitRaw } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

interface Vector {
  caller: string;
  targets: Target[];
  key: string;
}

const vectors: Vector[] = JSON.parse(readFileSync(new URL("../vectors/idempotency.json", import.meta.url), "utf8"));
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const a = [{ url: "https://a.example/" }];
const b = [{ url: "https://b.example/" }];

async function start() {
  const { store, raw } = await openStoreFile();
  const held = heldFetch();
  const { runner, lines } = await startRunner({
    store,
    fetch: held.fetch,
    jobsTotal: 100,
    jobsPerCaller: 100,
    targetsPerJob: 2,
  });
  const keyOf = (id: string) => raw.prepare("select idem_key from batch_job where id = ?").pluck().get(id);
  return { runner, store, lines, keyOf };
}

test("R1.2: the keys of Go's vectors stand in the column idem_key, and equal ones are the same job", async () => {
  const { runner, keyOf } = await start();
  const ids = new Map<string, string>();
  for (const { caller, targets, key } of vectors) {
    const { id, reused } = await runner.submit({ caller: { name: caller }, callerClass: "", targets });
    expect({ key: keyOf(id), id, reused }).toEqual({ key, id: ids.get(key) ?? id, reused: ids.has(key) });
    ids.set(key, id);
  }
  expect(ids.size).toBe(new Set(vectors.map(({ key }) => key)).size);
});

test("R1.2: of the caller only its name is part of the key", async () => {
  const { runner } = await start();
  const first = await runner.submit(batchOf(a, { caller: { name: "alice", workspace: "w" }, callerClass: "gold" }));
  const again = await runner.submit(batchOf(a, { caller: { name: "alice", keySha256: "k" }, callerClass: "tin" }));
  expect(again).toEqual({ id: first.id, reused: true });
});

test("R1.2: the order of keys makes no difference, the value of any option does", async () => {
  const { runner } = await start();
  const submit = (options: object) => submitRaw(runner, batchOf([{ url: "", options }]));
  const first = await submit({ mode: "m", x: { b: 1, a: [2] } });
  expect(await submit({ x: { a: [2], b: 1 }, mode: "m" })).toEqual({ id: first.id, reused: true });
  expect(await submit({ x: { a: [3], b: 1 }, mode: "m" })).toMatchObject({ reused: false });
  expect(await submit({ x: { a: [2], b: 1, c: null }, mode: "m" })).toMatchObject({ reused: false });
});

test("R1.2: a key of one's own stands in the place of the targets, as a JSON string", async () => {
  const { runner, keyOf } = await start();
  const { id } = await runner.submit(batchOf(a, { idempotencyKey: 'order "7"\n' }));
  expect(keyOf(id)).toBe(sha256('alice\0"order \\"7\\"\\n"'));
});

test("R1.2: the same key of one's own with other targets is the same job, with the targets it had", async () => {
  const { runner, store, lines } = await start();
  const first = await runner.submit(batchOf(a, { idempotencyKey: "k" }));
  const again = await runner.submit(batchOf([...b, ...b], { idempotencyKey: "k" }));
  expect(again).toEqual({ id: first.id, reused: true });
  const report = await store.status(first.id);
  expect(report?.targets.map(({ url }) => url)).toEqual(["https://a.example/"]);
  expect(lines.filter((line) => line.startsWith("job"))).toEqual(["job created", "job reused"]);
});

test("R1.2: the same targets with another key, or with none, are another job", async () => {
  const { runner } = await start();
  await runner.submit(batchOf(a, { idempotencyKey: "k" }));
  expect(await runner.submit(batchOf(a, { idempotencyKey: "K" }))).toMatchObject({ reused: false });
  expect(await runner.submit(batchOf(a))).toMatchObject({ reused: false });
});

test("R1.2: a key of one's own never meets a key of targets, even when it is their very encoding", async () => {
  const { runner, keyOf } = await start();
  const targets = await runner.submit(batchOf(a));
  const idempotencyKey = '[{"url":"https://a.example/","options":{}}]';
  expect(keyOf(targets.id)).toBe(sha256(`alice\0${idempotencyKey}`));
  expect(await runner.submit(batchOf(a, { idempotencyKey }))).toMatchObject({ reused: false });
});

test("R1.2: the same key of another caller is another job", async () => {
  const { runner } = await start();
  await runner.submit(batchOf(a, { idempotencyKey: "k" }));
  const bob = { name: "bob" };
  expect(await runner.submit(batchOf(a, { idempotencyKey: "k", caller: bob }))).toMatchObject({ reused: false });
});

test("R1.2: reuse asks for no caps: not for targets, not for the caller's jobs, not for all", async () => {
  const held = heldFetch();
  const { runner } = await startRunner({ fetch: held.fetch, targetsPerJob: 1, jobsPerCaller: 1, jobsTotal: 1 });
  const first = await runner.submit(batchOf(a, { idempotencyKey: "k" }));
  const again = await runner.submit(batchOf([...a, ...b], { idempotencyKey: "k" }));
  expect(again).toEqual({ id: first.id, reused: true });
});
