import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createBatchRunner, openSqliteStore } from "../../src/index.js";
import { runScript } from "../support/run-script.js";
import { freshPath, openRaw } from "../support/stores.js";
import { troubledStore } from "../support/troubled-store.js";
import { STARTED_AHEAD, type UnsoundRow, unsoundRows } from "./unsound-rows.js";

/** Each try blocks for 20 ms, and a few may come at once; the rest is for a machine that is busy. */
const LONGEST_BLOCK_MS = 1_000;
const FULL_DISK = fileURLToPath(new URL("./fixtures/full-disk.mjs", import.meta.url));

/** Another process that holds the write lock of a file until it is told to let go. */
async function lockElsewhere(path: string): Promise<{ letGo(): Promise<void> }> {
  const { child, printed, ended } = runScript(
    `const { default: Sqlite } = await import("better-sqlite3");
     const raw = new Sqlite(process.argv[1]);
     raw.exec("begin immediate");
     console.log("locked");
     process.stdin.once("data", () => { raw.exec("rollback"); raw.close(); process.exit(0); });`,
    path,
  );
  await printed("locked");
  return {
    async letGo() {
      child.stdin?.write("now");
      await ended;
    },
  };
}

/** Watches how long the event loop is kept from turning. */
function watchLoop(): { longestMs(): number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  onTestFinished(() => clearInterval(timer));
  return { longestMs: () => longest };
}

async function openRunner(path: string) {
  const { store, calls } = troubledStore(await openSqliteStore(path));
  const gates = new Map<string, () => void>();
  const urls: string[] = [];
  const fetch = async ({ url }: { url: string }) => {
    urls.push(url);
    await new Promise<void>((resolve) => gates.set(url, resolve));
    return { content: url };
  };
  const runner = await createBatchRunner({ store, fetch, workers: 2, jobsPerCaller: 8, retryWaitMs: 50 });
  onTestFinished(async () => {
    await runner.close({ timeoutMs: 1 });
    await store.close();
  });
  const submit = (name: string, ...pages: string[]) =>
    runner.submit({ caller: { name }, callerClass: "", targets: pages.map((url) => ({ url })) });
  return { runner, submit, gates, urls, calls };
}

test("R8: another process's short write lock delays a submit and an outcome, and refuses neither", async () => {
  const path = freshPath();
  const { runner, submit, gates, urls, calls } = await openRunner(path);
  const { id } = await submit("ann", "a", "b");
  await expect.poll(() => gates.has("a")).toBe(true);
  const lock = await lockElsewhere(path);
  const loop = watchLoop();
  gates.get("a")?.();
  const submitted = submit("bob", "c");
  await expect.poll(() => calls.filter((method) => method === "settle").length).toBeGreaterThan(3);
  expect(urls).toEqual(["a"]);
  await lock.letGo();
  expect((await submitted).reused).toBe(false);
  await expect.poll(() => gates.has("b") && gates.has("c")).toBe(true);
  gates.get("b")?.();
  gates.get("c")?.();
  await runner.idle();
  expect([urls.sort(), (await runner.status(id))?.job]).toMatchObject([["a", "b", "c"], { status: "done" }]);
  expect(loop.longestMs()).toBeLessThan(LONGEST_BLOCK_MS);
});

test("R8: another process's long write lock refuses who writes with SQLITE_BUSY, lets others read, and leaves the event loop free", async () => {
  const path = freshPath();
  const { runner, submit, gates, urls } = await openRunner(path);
  const { id } = await submit("ann", "a", "b");
  await expect.poll(() => gates.has("a")).toBe(true);
  const lock = await lockElsewhere(path);
  const loop = watchLoop();
  gates.get("a")?.();
  const busy = { code: "SQLITE_BUSY" };
  await Promise.all([
    expect(submit("bob", "c")).rejects.toMatchObject(busy),
    expect(runner.cancel(id)).rejects.toMatchObject(busy),
    expect(runner.touch(id)).rejects.toMatchObject(busy),
  ]);
  expect(await runner.status(id)).toMatchObject({
    job: { status: "running", targetsDone: 0 },
    targets: [{ status: "running" }, { status: "pending" }],
  });
  expect(loop.longestMs()).toBeLessThan(LONGEST_BLOCK_MS);
  await lock.letGo();
  await expect.poll(() => gates.has("b")).toBe(true);
  gates.get("b")?.();
  await runner.idle();
  expect([urls, await runner.status(id), unsoundRows(openRaw(path))]).toMatchObject([
    ["a", "b"],
    { job: { status: "done", targetsDone: 2 }, targets: [{ result: { content: "a" } }, { result: { content: "b" } }] },
    [],
  ]);
});

test("R8: a disk that is really full: jobs end from memory, nothing is fetched twice, and the next start puts the file right", async () => {
  const path = freshPath();
  // Beyond the limit of kilobytes, writing a file fails as on a full disk.
  const command = 'ulimit -f 800 && exec "$0" "$@"';
  const child = spawn("bash", ["-c", command, process.execPath, FULL_DISK, path], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const { code, stdout, stderr } = await outputOf(child);
  expect([code, stderr]).toEqual([0, ""]);
  const { answers, ends, warnings, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({ twice: [], late: expect.stringMatching(/^SQLITE_(IOERR_WRITE|FULL)$/), unhandled: [] });
  const created = answers.filter((answer: string) => answer === "created").length;
  expect([ends.length, created > 2, warnings.length > 0, warnings.length <= 3 * created]).toEqual([
    created,
    true,
    true,
    true,
  ]);

  const store = await openSqliteStore(path);
  const runner = await createBatchRunner({ store, fetch: ({ url }) => ({ content: url }), jobsTotal: 1 });
  const raw = openRaw(path);
  // The ends that came from memory could not be written before the process ended.
  expect(raw.prepare("select status, error from batch_job").all()).toContainEqual({
    status: "failed",
    error: "interrupted",
  });
  const fromMemory = raw.prepare("select id from batch_job where error = 'interrupted'").pluck().all();
  const isAheadInMemory = ({ what, row }: UnsoundRow) => what === STARTED_AHEAD && fromMemory.includes(row.job_id);
  expect(unsoundRows(raw).filter((found) => !isAheadInMemory(found))).toEqual([]);
  const torn = raw.prepare(`select url from batch_target where status = 'done' and
    json_extract(result, '$.content') <> replace(hex(zeroblob(1000)), '0', url)`);
  expect(torn.all()).toEqual([]);
  const { id } = await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [{ url: "u:next" }] });
  await runner.idle();
  expect((await runner.status(id))?.job.status).toBe("done");
  await runner.close();
  await store.close();
});

test("section 2: a file that this user may not write is refused with SQLite's own code, and left as it is", async () => {
  const path = freshPath();
  await (await openSqliteStore(path)).close();
  chmodSync(path, 0o444);
  chmodSync(dirname(path), 0o555);
  const before = readFileSync(path);
  const { ended } = runScript(
    `if (process.getuid() === 0) process.seteuid(65534);
     const tell = (error) => console.log(error.code);
     const store = await fairbatch.openSqliteStore(process.argv[1]).catch(tell);
     if (store) {
       await fairbatch.createBatchRunner({ store, fetch: () => ({ content: "" }) }).catch(tell);
       await store.close();
     }`,
    path,
  );
  const { code, stdout, stderr } = await ended;
  chmodSync(dirname(path), 0o755);
  expect([code, stderr, stdout]).toEqual([0, "", expect.stringMatching(/^SQLITE_(READONLY|CANTOPEN)[A-Z_]*\n$/)]);
  expect(readFileSync(path).equals(before)).toBe(true);
});

async function outputOf(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
