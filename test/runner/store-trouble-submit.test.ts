import { expect, test } from "vitest";
import { type Batch, openSqliteStore } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { logIntoMemory } from "../support/log-lines.js";
import { startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { StoreTrouble, troubledStore } from "../support/troubled-store.js";

const batch: Batch = { caller: { name: "ann" }, callerClass: "", targets: [{ url: "a" }] };

test("R8: a submit that the store refuses rejects with the store's error and leaves nothing", async () => {
  const { store: real, raw } = await openStoreFile();
  const { store, refused } = troubledStore(real);
  const fetched: string[] = [];
  const { runner, lines } = await startRunner({
    store,
    jobsPerCaller: 1,
    fetch(target) {
      fetched.push(target.url);
      return { content: "" };
    },
  });
  refused.add("admit");
  await expect(runner.submit(batch)).rejects.toBeInstanceOf(StoreTrouble);
  await settled();
  const rows = () =>
    raw.prepare("select (select count(*) from batch_job) + (select count(*) from batch_target)").pluck().get();
  expect({ rows: rows(), lines, fetched, live: runner.gauges.getSnapshot().context.live }).toEqual({
    rows: 0,
    lines: [],
    fetched: [],
    live: 0,
  });
  await runner.idle();

  refused.delete("admit");
  const { reused } = await runner.submit(batch);
  await runner.idle();
  expect({ reused, fetched }).toEqual({ reused: false, fetched: ["a"] });
});

test("R8: a submit while another connection holds the write lock for long rejects with SQLITE_BUSY and leaves nothing", async () => {
  const { store, raw } = await openStoreFile();
  const { runner, lines } = await startRunner({ store, fetch: () => ({ content: "" }) });
  raw.exec("begin immediate");
  await expect(runner.submit(batch)).rejects.toMatchObject({ code: "SQLITE_BUSY" });
  raw.exec("rollback");
  expect([raw.prepare("select count(*) from batch_job").pluck().get(), lines]).toEqual([0, []]);
  await runner.submit(batch);
  await runner.idle();
  expect(lines.at(-2)).toBe("job done");
});

test("R8: a submit after the tables were broken rejects, and one whose targets cannot be written leaves no job", async () => {
  const { store, raw } = await openStoreFile();
  const { runner, lines } = await startRunner({ store, fetch: () => ({ content: "" }) });
  raw.exec("create trigger broken before insert on batch_target begin select raise(abort, 'disk'); end");
  await expect(runner.submit(batch)).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_TRIGGER" });
  expect([raw.prepare("select count(*) from batch_job").pluck().get(), lines]).toEqual([0, []]);
  raw.exec("drop trigger broken");
  await runner.submit(batch);
  await runner.idle();
  expect(lines.at(-2)).toBe("job done");
});

test("R8: a store that was closed under the runner: every call rejects, and nothing else happens", async () => {
  const store = await openSqliteStore(":memory:");
  const { runner } = await startRunner({ store, fetch: () => ({ content: "" }) });
  await store.close();
  const calls = [runner.submit(batch), runner.status("x"), runner.cancel("x"), runner.touch("x")];
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
  await runner.idle();
  await runner.close();
});

test("R8: a sweep that the store refuses is logged, and the submit goes through", async () => {
  const { store, refused } = troubledStore(await openSqliteStore(":memory:"));
  const log = logIntoMemory();
  const { runner, lines } = await startRunner({ store, logger: log.logger, fetch: () => ({ content: "" }) });
  refused.add("sweep");
  await runner.submit(batch);
  await runner.idle();
  await settled();
  expect(lines.slice(-2)).toEqual(["job done", "jobSeconds"]);
  expect(log.warnings().map(({ code }) => code)).toEqual(["SQLITE_IOERR"]);
  expect(log.text()).not.toMatch(/s3cret|secret\.example/);
});

test("R8: an eviction that the store refuses is logged; the job ends, and the next eviction catches up", async () => {
  const { store: real, raw } = await openStoreFile();
  const { store, refused } = troubledStore(real);
  const log = logIntoMemory();
  const { runner, lines, submit } = await startRunner({
    store,
    logger: log.logger,
    maxBytes: 1,
    fetch: () => ({ content: "" }),
  });
  refused.add("evict");
  await submit("ann", "a");
  await runner.idle();
  await settled();
  const rows = raw.prepare("select count(*) from batch_job").pluck();
  expect([rows.get(), lines.slice(-3)]).toEqual([1, ["target ok 14", "job done", "jobSeconds"]]);
  expect(log.warnings().map(({ code }) => code)).toEqual(["SQLITE_IOERR"]);
  refused.delete("evict");
  await submit("ann", "b");
  await runner.idle();
  expect(rows.get()).toBe(0);
});

test("R8: createBatchRunner rejects with the store's error, gives the store back, and can be called again", async () => {
  const { store, refused } = troubledStore(await openSqliteStore(":memory:"));
  for (const method of ["own", "recover", "left"] as const) {
    refused.add(method);
    await expect(
      startRunner({ store, fetch: () => ({ content: "" }), resume: () => undefined }),
    ).rejects.toBeInstanceOf(StoreTrouble);
    refused.delete(method);
  }
  const { runner, submit } = await startRunner({ store, fetch: () => ({ content: "" }) });
  await submit("ann", "a");
  await runner.idle();
});
