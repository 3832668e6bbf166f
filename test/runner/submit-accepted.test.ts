import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { FetchContext, FetchFunc, Target } from "../../src/index.js";
import { untilTerminal } from "../../src/testing/index.js";
import { batchOf, submitRaw } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

/** A fetch that keeps what it is given. */
function recordFetch(): { fetch: FetchFunc; targets: Target[]; contexts: FetchContext[] } {
  const targets: Target[] = [];
  const contexts: FetchContext[] = [];
  const fetch: FetchFunc = (target, context) => {
    targets.push(target);
    contexts.push(context);
    return { content: "" };
  };
  return { fetch, targets, contexts };
}

/** What the fetch is given, and what is read back, of one target. */
async function roundTrip(target: unknown): Promise<{ fetched: unknown; read: unknown }> {
  const { fetch, targets } = recordFetch();
  const { runner } = await startRunner({ fetch });
  const { id } = await submitRaw(runner, batchOf([target]));
  await untilTerminal(runner, id);
  const read = (await runner.status(id))?.targets[0];
  return { fetched: targets[0], read: { url: read?.url, options: read?.options } };
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

const url = "https://a.example/";

test.each<[string, object, object]>([
  ["an object without a prototype", Object.assign(Object.create(null), { mode: "m" }), { mode: "m" }],
  ["a frozen object", Object.freeze({ mode: "m", more: Object.freeze([1]) }), { mode: "m", more: [1] }],
  ["an object of another realm", runInNewContext("({ mode: 'm', more: [{ a: 1 }] })"), { mode: "m", more: [{ a: 1 }] }],
  ["a proxy that plays fair", new Proxy({ mode: "m" }, {}), { mode: "m" }],
  ["undefined options at any depth", { mode: undefined, more: { a: undefined, b: 1 } }, { more: { b: 1 } }],
  ["standard options that say nothing", { mode: "", question: "", pages: "", grep: "", jq: "", recover: false }, {}],
  ["a context of false", { context: false }, { context: false }],
  [
    "empty values of other options",
    { a: "", b: false, c: null, d: {}, e: [], f: 0 },
    { a: "", b: false, c: null, d: {}, e: [], f: 0 },
  ],
  ["numbers of every kind", { n: [-1.5, 1e21, 5e-324, 2 ** 53] }, { n: [-1.5, 1e21, 5e-324, 2 ** 53] }],
  [
    "objects a hundred deep",
    { deep: nested(100, (inner) => ({ inner })) },
    { deep: nested(100, (inner) => ({ inner })) },
  ],
  ["arrays a hundred deep", { deep: nested(100, (inner) => [inner]) }, { deep: nested(100, (inner) => [inner]) }],
  ["the same object twice, which is no cycle", { a: Array(2).fill({ x: 1 }) }, { a: [{ x: 1 }, { x: 1 }] }],
])("R1.2: the fetch and the reads get the normal form of %s", async (_name, options, expected) => {
  const target = { url, options: expected };
  expect(await roundTrip({ url, options })).toEqual({ fetched: target, read: target });
});

test("R1.2: absent and undefined options are an empty object", async () => {
  const target = { url, options: {} };
  expect(await roundTrip({ url })).toEqual({ fetched: target, read: target });
  expect(await roundTrip({ url, options: undefined })).toEqual({ fetched: target, read: target });
});

test("R1.2: a key named __proto__ is an option as any other and changes no prototype", async () => {
  const options = JSON.parse('{"__proto__":{"polluted":1},"inner":{"__proto__":[2]}}');
  const { fetched, read } = await roundTrip({ url, options });
  const text = '{"url":"https://a.example/","options":{"__proto__":{"polluted":1},"inner":{"__proto__":[2]}}}';
  expect([JSON.stringify(fetched), JSON.stringify(read)]).toEqual([text, text]);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test("R1.4: a URL of a million bytes, with everything that text can hold, is carried whole", async () => {
  const target = { url: `https://a.example/?\0"\\\u2028🦊${"ü".repeat(500_000)}`, options: {} };
  expect(await roundTrip(target)).toEqual({ fetched: target, read: target });
});

test("R1.2: each property is read once, so that a getter cannot store one thing and have another fetched", async () => {
  const reads: string[] = [];
  const changing = (names: string[]) =>
    names.reduce(
      (object, name) =>
        Object.defineProperty(object, name, {
          enumerable: true,
          get: () => `${name} at read ${reads.push(name)}`,
        }),
      {},
    );
  const options = Object.assign(changing(["mode", "extra"]), { inner: changing(["deep"]) });
  const { fetched, read } = await roundTrip(Object.assign(changing(["url"]), { options }));
  expect(reads.toSorted()).toEqual(["deep", "extra", "mode", "url"]);
  expect(fetched).toEqual(read);
});

test("R1.4: what is changed after the call changes nothing", async () => {
  const { fetch, targets, contexts } = recordFetch();
  const { runner } = await startRunner({ fetch });
  const caller = { name: "alice", workspace: "w" };
  const batch = batchOf([{ url, options: { mode: "m", inner: { list: [1] } } }], { caller });
  const submitted = runner.submit(batch);
  const options = batch.targets[0]?.options as { mode: string; inner: { list: number[] } };
  options.mode = "other";
  options.inner.list.push(2);
  Object.assign(batch.targets[0] as object, { url: "https://other.example/" });
  batch.targets.push({ url: "https://more.example/" });
  batch.callerClass = "other";
  caller.name = "mallory";
  const { id } = await submitted;
  expect(await untilTerminal(runner, id)).toMatchObject({ caller: "alice", callerClass: "", targetsTotal: 1 });
  expect(targets).toEqual([{ url, options: { mode: "m", inner: { list: [1] } } }]);
  expect(contexts[0]?.caller).toBe(caller);
});

test("R1.4: the caller object reaches the fetch and no row", async () => {
  const { store, raw } = await openStoreFile();
  const rows = (sql: string) => raw.prepare(sql).all();
  const { fetch, contexts } = recordFetch();
  const { runner } = await startRunner({ fetch, store });
  const caller = { name: "alice", workspace: "workspace-1", keySha256: "key-1" };
  const { id } = await runner.submit(batchOf([{ url }], { caller, callerClass: "gold" }));
  await untilTerminal(runner, id);
  expect(contexts[0]?.caller).toBe(caller);
  const stored = JSON.stringify([...rows("select * from batch_job"), ...rows("select * from batch_target")]);
  expect([stored.includes("workspace-1"), stored.includes("key-1"), stored.includes("gold")]).toEqual([
    false,
    false,
    true,
  ]);
});

test("R1.2: the stored options are the normal form, byte for byte", async () => {
  const { store, raw } = await openStoreFile();
  const { runner } = await startRunner({ fetch: () => ({ content: "" }), store });
  const options = { z: { b: "<", a: 1 }, jq: ".", "10": 1, "9": 2, context: true, mode: "&" };
  await submitRaw(runner, batchOf([{ url, options }]));
  expect(raw.prepare("select idx, url, options from batch_target").all()).toEqual([
    { idx: 0, url, options: '{"mode":"\\u0026","jq":".","context":true,"10":1,"9":2,"z":{"a":1,"b":"\\u003c"}}' },
  ]);
});
