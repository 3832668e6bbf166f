import { writeFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/index.js";
import { admitJob, allRows, freshPath, openRaw, openStore, PLACES } from "../support/stores.js";

describe.each(PLACES)("in %s", (place) => {
  test("design 4: the tables of jobs and targets have the columns that the design names", async () => {
    const { raw } = await openStore(place);
    const columns = (table: string) =>
      (raw.pragma(`table_info(${table})`) as { name: string }[]).map((column) => column.name);
    expect(columns("batch_job")).toEqual(
      expect.arrayContaining([
        ...["id", "caller", "caller_class", "idem_key", "status", "error", "targets_total", "targets_done"],
        ...["targets_failed", "created_at", "lease", "nbytes"],
      ]),
    );
    expect(columns("batch_target")).toEqual(
      expect.arrayContaining([
        ...["job_id", "idx", "url", "options", "status", "result", "error", "hint", "attempts"],
        ...["started_at_ms", "finished_at_ms"],
      ]),
    );
  });

  test("design 4: a target is keyed by its job and index, and a job by its id", async () => {
    const { raw } = await openStore(place);
    const key = (raw.pragma("table_info(batch_target)") as { name: string; pk: number }[])
      .filter((column) => column.pk > 0)
      .map((column) => [column.pk, column.name]);
    expect(key).toEqual([
      [1, "job_id"],
      [2, "idx"],
    ]);
    const insert = `insert into batch_job (id, caller, caller_class, idem_key, status, error, targets_total, targets_done,
      targets_failed, created_at, lease, nbytes) values ('a', 'ann', '', 'k', 'done', '', 1, 1, 0, 1, 1, 1)`;
    raw.exec(insert);
    expect(() => raw.exec(insert)).toThrow(/unique/i);
  });

  test("design 4, 8: targets have no secondary index, which would cost a fifth of every write", async () => {
    const { raw } = await openStore(place);
    const origins = (raw.pragma("index_list(batch_target)") as { origin: string }[]).map((index) => index.origin);
    expect(origins).toEqual(["pk"]);
  });
});

test("design 4: migrations run once: opening a file again changes neither its schema nor its rows", async () => {
  const path = freshPath();
  const first = await openSqliteStore(path);
  await admitJob(first, "a", 2);
  await first.close();
  const raw = openRaw(path);
  const look = () => ({ version: raw.pragma("schema_version", { simple: true }), rows: allRows(raw) });
  const before = look();
  expect(before.rows.targets).toHaveLength(2);

  const second = await openSqliteStore(path);
  const dataVersion = raw.pragma("data_version", { simple: true });
  await (await openSqliteStore(path)).close();
  expect(look()).toEqual(before);
  expect(raw.pragma("data_version", { simple: true })).toBe(dataVersion);
  await second.close();
});

test("design 4: a store that is open for writing can be opened by another without waiting for its lock", async () => {
  const path = freshPath();
  await (await openSqliteStore(path)).close();
  const raw = openRaw(path);
  raw.exec("begin immediate");
  const store = await openSqliteStore(path);
  expect(await store.list()).toEqual([]);
  await store.close();
});

test("design 4: a file of a newer version is refused with an error that says so, and is left alone", async () => {
  const path = freshPath();
  await (await openSqliteStore(path)).close();
  const raw = openRaw(path);
  raw.exec(
    "insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '2099-01-01T00:00:00.000Z')",
  );
  const dataVersion = raw.pragma("data_version", { simple: true });

  await expect(openSqliteStore(path)).rejects.toThrow(/newer|version|migration/i);
  expect(raw.pragma("data_version", { simple: true })).toBe(dataVersion);
});

test("design 4: a migration that fails leaves nothing half made, and the next opening makes it", async () => {
  const path = freshPath();
  const raw = openRaw(path);
  raw.exec("create table batch_caller (squatter)");
  await expect(openSqliteStore(path)).rejects.toThrow(/batch_caller/);
  expect(raw.prepare("select name from sqlite_schema where name like 'batch%'").pluck().all()).toEqual([
    "batch_caller",
  ]);

  raw.exec("drop table batch_caller");
  const store = await openSqliteStore(path);
  await admitJob(store, "a");
  expect(await store.list()).toMatchObject([{ id: "a" }]);
  await store.close();
});

test("design 4: a file that is no database, or a folder that is not there, rejects", async () => {
  const path = freshPath();
  writeFileSync(path, "this is no database, whatever its name says. ".repeat(100));
  await expect(openSqliteStore(path)).rejects.toMatchObject({ code: "SQLITE_NOTADB" });
  await expect(openSqliteStore(`${path}-missing/store.db`)).rejects.toThrow(/directory/);
  expect(() => new Sqlite(path).pragma("journal_mode")).toThrow(/not a database/);
});

test("design 4: a file of the first version is brought to the newest, and keeps what it holds", async () => {
  const path = freshPath();
  const first = await openSqliteStore(path);
  await admitJob(first, "a", 2);
  await first.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 });
  await first.close();
  const raw = openRaw(path);
  const before = { rows: allRows(raw), schema: raw.pragma("table_info(batch_target)") };
  for (const column of ["retry_at_ms", "retry_since_ms", "interruptions"])
    raw.exec(`alter table batch_target drop column ${column}`);
  raw.exec("delete from kysely_migration where name <> '0001-create-tables'");

  const store = await openSqliteStore(path);
  expect({ rows: allRows(raw), schema: raw.pragma("table_info(batch_target)") }).toEqual(before);
  expect(await store.start({ jobId: "a", index: 0, startedAtMs: 2, maxInterrupted: 3 })).toMatchObject({ attempts: 2 });
  await store.close();
});
