import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import { TargetError } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

async function startOnFile(config: { maxBytes?: number; ttlMs?: number; jobsTotal?: number } = {}) {
  const { store, raw } = await openStoreFile();
  const held = heldFetch();
  const started = await startRunner({ store, fetch: held.fetch, ...config });
  /** Runs a job of one target to its end, with a result of so many bytes in all. */
  const end = async (url: string, bytes = 50) => {
    const id = await started.submit("ann", url);
    // The url, `{}` and `{"content":""}` come to 17 bytes beside the content.
    (await held.next()).succeed({ content: "x".repeat(bytes - 17) });
    await settled();
    return id;
  };
  return { ...started, raw, held, end };
}

const urls = (raw: Database) =>
  raw.prepare("select url from batch_target join batch_job on id = job_id order by seq").pluck().all();
const nbytes = (raw: Database) => raw.prepare("select coalesce(sum(nbytes), 0) from batch_job").pluck().get();

test("eviction: the jobs with the oldest lease leave, until the bytes fit", async () => {
  const { clock, raw, end } = await startOnFile({ maxBytes: 150 });
  for (const url of ["a", "b", "c"]) {
    await end(url);
    clock.increment(1_000);
  }
  expect([urls(raw), nbytes(raw)]).toEqual([["a", "b", "c"], 150]);
  await end("d", 51);
  expect([urls(raw), nbytes(raw)]).toEqual([["c", "d"], 101]);
});

test("eviction: a touched job stays longer, since its lease is newer", async () => {
  const { clock, runner, raw, end } = await startOnFile({ maxBytes: 150 });
  const a = await end("a");
  clock.increment(1_000);
  await end("b");
  clock.increment(1_000);
  await end("c");
  clock.increment(1_000);
  await runner.touch(a);
  clock.increment(1_000);
  await end("d");
  expect(urls(raw)).toEqual(["a", "c", "d"]);
});

test("eviction: of equal leases the job submitted first leaves first", async () => {
  const { raw, end } = await startOnFile({ maxBytes: 100 });
  for (const url of ["a", "b", "c"]) await end(url);
  expect(urls(raw)).toEqual(["b", "c"]);
});

test("eviction: live jobs never leave, running or queued, however old and large", async () => {
  const { clock, runner, raw, held, submit } = await startOnFile({ maxBytes: 40 });
  const running = await submit("bob", "r".repeat(200), "s");
  const queued = await submit("cem", "q".repeat(200));
  clock.increment(1_000_000);
  (await held.next()).succeed({ content: "x".repeat(300) });
  const call = await held.next();
  expect(await Promise.all([running, queued].map(async (id) => (await runner.status(id))?.job.status))).toEqual([
    "running",
    "running",
  ]);
  call.succeed();
  (await held.next()).succeed();
  await settled();
  expect(urls(raw)).toEqual([]);
});

test("eviction: it may take the job that has just ended too, whose end is told all the same", async () => {
  const { runner, raw, lines, end } = await startOnFile({ maxBytes: 60 });
  const id = await end("a", 61);
  expect([await runner.status(id), urls(raw), lines.slice(-2)]).toEqual([undefined, [], ["job done", "jobSeconds"]]);
});

test("eviction: cancelled and failed jobs leave as well", async () => {
  const { runner, raw, held, submit, end } = await startOnFile({ maxBytes: 100 });
  const failed = await submit("ann", "f");
  (await held.next()).fail(new Error("x".repeat(60)));
  await settled();
  const cancelled = await submit("ann", "c");
  const call = await held.next();
  await runner.cancel(cancelled);
  call.succeed();
  await settled();
  await end("d", 100);
  expect(urls(raw)).toEqual(["d"]);
  expect([await runner.status(failed), await runner.status(cancelled)]).toEqual([undefined, undefined]);
});

test("`nbytes` counts the UTF-8 bytes of url, options, result, error and hint", async () => {
  const { runner, raw, held } = await startOnFile();
  const target = { url: "https://ü.example/€", options: { question: "wö?😀\0" } };
  await runner.submit({ caller: { name: "ann" }, callerClass: "class", targets: [target, { url: "b" }] });
  const options = `{"question":"wö?😀\\u0000"}`;
  const atSubmit = Buffer.byteLength(`${target.url}${options}b{}`);
  expect(nbytes(raw)).toBe(atSubmit);
  (await held.next()).succeed({ content: "é€😀\0" });
  (await held.next()).fail(new TargetError("né\0tail", { hint: "😀" }));
  await settled();
  const result = JSON.stringify({ content: "é€😀\0" });
  const [error, hint] = raw.prepare("select error, hint from batch_target where idx = 1").raw().get() as [
    string,
    string,
  ];
  expect(nbytes(raw)).toBe(atSubmit + Buffer.byteLength(`${result}${error}${hint}`));
});

test("sweep: at each submit, terminal jobs whose lease is older than the TTL leave, and those of just that age stay", async () => {
  const { clock, raw, end } = await startOnFile({ ttlMs: 10_000 });
  await end("a");
  clock.increment(1_000);
  await end("b");
  clock.increment(10_000);
  await end("c");
  expect(urls(raw)).toEqual(["b", "c"]);
  clock.increment(1_000);
  await end("d");
  expect(urls(raw)).toEqual(["c", "d"]);
});

test("sweep: a touched job stays for a whole TTL more", async () => {
  const { clock, runner, raw, end } = await startOnFile({ ttlMs: 10_000 });
  const a = await end("a");
  clock.increment(9_000);
  await runner.touch(a);
  clock.increment(10_000);
  await end("b");
  expect(urls(raw)).toEqual(["a", "b"]);
  clock.increment(1_000);
  await end("c");
  expect(urls(raw)).toEqual(["b", "c"]);
});

test("sweep: live jobs are never swept", async () => {
  const { clock, raw, held, submit } = await startOnFile({ ttlMs: 10_000 });
  await submit("ann", "a");
  const call = await held.next();
  await submit("bob", "b");
  clock.increment(1_000_000);
  await submit("cem", "c");
  expect(urls(raw)).toEqual(["a", "b", "c"]);
  call.succeed();
  for (let count = 0; count < 2; count++) (await held.next()).succeed();
  await settled();
});

test("sweep: also once at the start", async () => {
  const { store, raw } = await openStoreFile();
  const insert = raw.prepare(
    `insert into batch_job (id, caller, caller_class, idem_key, status, targets_total, created_at, lease)
     values (?, 'ann', '', ?, ?, 0, 0, ?)`,
  );
  for (const status of ["done", "partial", "failed", "cancelled"]) {
    insert.run(`${status} long ago`, "", status, 999);
    insert.run(`${status} lately`, "", status, 1_000);
  }
  const clock = { now: () => 1_010_000, setTimeout: () => 0, clearTimeout: () => {} };
  await startRunner({ store, clock, ttlMs: 10_000, fetch: () => ({ content: "" }) });
  expect(raw.prepare("select id from batch_job order by seq").pluck().all()).toEqual(
    ["done", "partial", "failed", "cancelled"].map((status) => `${status} lately`),
  );
});
