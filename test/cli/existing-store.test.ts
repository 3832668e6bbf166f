import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { withExistingStore } from "../../src/cli/open-store.js";
import { openSqliteStore } from "../../src/store/open-sqlite-store.js";
import { admitJob, freshPath, openRaw } from "../support/stores.js";
import { Workplace } from "./fairbatch-process.js";

/** Writes the database of another application, of one table and some data. */
function makeForeign(path: string, journalMode = "delete"): Sqlite.Database {
  const database = new Sqlite(path);
  database.pragma(`journal_mode = ${journalMode}`);
  database.exec("create table account (name text); insert into account values ('anna')");
  return database;
}

/** What a process left that was killed while the log held all that it had written. */
function makeKilled(path: string): void {
  mkdirSync(`${path}.d`);
  const database = makeForeign(join(`${path}.d`, "live"), "wal");
  for (const end of ["", "-wal", "-shm"]) copyFileSync(join(`${path}.d`, `live${end}`), path + end);
  database.close();
}

/** Each file beside a path with its bytes, but for those of an index in shared memory, which readers change too. */
function filesBeside(path: string) {
  const names = readdirSync(dirname(path), { recursive: true, encoding: "utf8" }).sort();
  return names.map((name) => [name, /-shm$|\.d$/.test(name) || readFileSync(join(dirname(path), name), "latin1")]);
}

describe("a file that is no store is refused and left as it is", () => {
  const NO_STORE = "not a store of fairbatch";
  test.each<[string, string, (path: string) => void]>([
    ["another application's database", NO_STORE, (path) => void makeForeign(path).close()],
    ["one with a write-ahead log", NO_STORE, (path) => void makeForeign(path, "wal").close()],
    [
      "one that is in use",
      NO_STORE,
      (path) => {
        const database = makeForeign(path, "wal");
        onTestFinished(() => void database.close());
      },
    ],
    ["one whose process was killed", NO_STORE, makeKilled],
    ["an empty file", NO_STORE, (path) => writeFileSync(path, "")],
    ["a text", "cannot be opened: file is not a database", (path) => writeFileSync(path, "a b\n".repeat(500))],
    ["a short text", "cannot be opened: file is not a database", (path) => writeFileSync(path, "a\n")],
  ])("%s", async (_what, message, make) => {
    const path = freshPath();
    make(path);
    const before = filesBeside(path);
    const opening = withExistingStore(path, async () => 0);
    await expect(opening).rejects.toMatchObject({ message: `${path}: ${message}`, exitCode: 2 });
    expect(filesBeside(path)).toEqual(before);
  });

  test("by every command that reads one", async () => {
    const work = new Workplace();
    onTestFinished(() => work.remove());
    makeForeign(work.path("app.sqlite")).close();
    const before = filesBeside(work.path("app.sqlite"));
    const db = ["--db", "app.sqlite"];
    const commands = [["list"], ["show", "a"], ["cancel", "a"], ["resume"]].map((args) => [...args, ...db]);
    for (const args of [...commands, ["inspect", "app.sqlite"]]) {
      const stderr = `error: app.sqlite: ${NO_STORE}\n`;
      expect([args, await work.run(...args)]).toEqual([args, { code: 2, stdout: "", stderr }]);
    }
    expect(filesBeside(work.path("app.sqlite"))).toEqual(before);
  });
});

test("a store of an older fairbatch is opened, and brought up to date", async () => {
  const path = freshPath();
  const store = await openSqliteStore(path);
  await admitJob(store, "a");
  await store.close();
  const raw = openRaw(path);
  for (const column of ["retry_at_ms", "retry_since_ms", "interruptions"]) {
    raw.exec(`alter table batch_target drop column ${column}`);
  }
  raw.exec("delete from kysely_migration where name like '0002-%'");
  raw.close();
  const found = await withExistingStore(path, async (older) => (await older.status("a"))?.targets.length ?? 0);
  expect(found).toBe(1);
});
