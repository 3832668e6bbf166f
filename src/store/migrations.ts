import type { Database } from "better-sqlite3";
import { Kysely, type Migration, type Migrator, SqliteDialect, sql } from "kysely";
import { TERMINAL } from "./job-statements.js";

/**
 * The totals are kept by triggers and not by the statements that change jobs, because people may change rows too:
 * whoever deletes or cancels a job by hand frees its slot and its bytes.
 */
const TOTALS = [
  `create trigger batch_job_inserted after insert on batch_job begin
    update batch_total set nbytes = nbytes + new.nbytes;
  end`,
  `create trigger batch_job_live_inserted after insert on batch_job when new.status in ('queued', 'running') begin
    update batch_total set live = live + 1;
    insert into batch_caller (caller, live) values (new.caller, 1)
      on conflict (caller) do update set live = live + 1;
  end`,
  `create trigger batch_job_grown after update of nbytes on batch_job when new.nbytes <> old.nbytes begin
    update batch_total set nbytes = nbytes + new.nbytes - old.nbytes;
  end`,
  `create trigger batch_job_ended after update of status on batch_job
    when old.status in ('queued', 'running') and new.status not in ('queued', 'running') begin
    update batch_total set live = live - 1;
    update batch_caller set live = live - 1 where caller = old.caller;
    delete from batch_caller where caller = old.caller and live <= 0;
  end`,
  `create trigger batch_job_revived after update of status on batch_job
    when old.status not in ('queued', 'running') and new.status in ('queued', 'running') begin
    update batch_total set live = live + 1;
    insert into batch_caller (caller, live) values (new.caller, 1)
      on conflict (caller) do update set live = live + 1;
  end`,
  `create trigger batch_job_moved after update of caller on batch_job
    when old.caller <> new.caller
      and old.status in ('queued', 'running') and new.status in ('queued', 'running') begin
    update batch_caller set live = live - 1 where caller = old.caller;
    delete from batch_caller where caller = old.caller and live <= 0;
    insert into batch_caller (caller, live) values (new.caller, 1)
      on conflict (caller) do update set live = live + 1;
  end`,
  `create trigger batch_job_deleted after delete on batch_job begin
    update batch_total set nbytes = nbytes - old.nbytes;
  end`,
  `create trigger batch_job_live_deleted after delete on batch_job when old.status in ('queued', 'running') begin
    update batch_total set live = live - 1;
    update batch_caller set live = live - 1 where caller = old.caller;
    delete from batch_caller where caller = old.caller and live <= 0;
  end`,
];

const createTables: Migration = {
  async up(db) {
    await db.schema
      .createTable("batch_job")
      .addColumn("seq", "integer", (column) => column.primaryKey())
      .addColumn("id", "text", (column) => column.notNull().unique())
      .addColumn("caller", "text", (column) => column.notNull())
      .addColumn("caller_class", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("idem_key", "text", (column) => column.notNull())
      .addColumn("status", "text", (column) => column.notNull())
      .addColumn("error", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("targets_total", "integer", (column) => column.notNull())
      .addColumn("targets_done", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("targets_failed", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("created_at", "integer", (column) => column.notNull())
      .addColumn("lease", "integer", (column) => column.notNull())
      .addColumn("nbytes", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.createIndex("batch_job_caller").on("batch_job").columns(["caller", "idem_key"]).execute();
    await db.schema.createIndex("batch_job_lease").on("batch_job").column("lease").where(TERMINAL).execute();

    await db.schema
      .createTable("batch_target")
      .addColumn("job_id", "text", (column) => column.notNull().references("batch_job.id").onDelete("cascade"))
      .addColumn("idx", "integer", (column) => column.notNull())
      .addColumn("url", "text", (column) => column.notNull())
      .addColumn("options", "text", (column) => column.notNull().defaultTo("{}"))
      .addColumn("status", "text", (column) => column.notNull().defaultTo("pending"))
      .addColumn("attempts", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("started_at_ms", "integer")
      .addColumn("finished_at_ms", "integer")
      .addColumn("error", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("hint", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("result", "text")
      .addPrimaryKeyConstraint("batch_target_key", ["job_id", "idx"])
      .modifyEnd(sql`without rowid`)
      .execute();

    await db.schema
      .createTable("batch_total")
      .addColumn("live", "integer", (column) => column.notNull())
      .addColumn("nbytes", "integer", (column) => column.notNull())
      .execute();
    await sql`insert into batch_total (live, nbytes) values (0, 0)`.execute(db);
    await db.schema
      .createTable("batch_caller")
      .addColumn("caller", "text", (column) => column.primaryKey())
      .addColumn("live", "integer", (column) => column.notNull())
      .modifyEnd(sql`without rowid`)
      .execute();
    for (const trigger of TOTALS) await sql.raw(trigger).execute(db);
  },
};

const addRetryState: Migration = {
  async up(db) {
    await db.schema.alterTable("batch_target").addColumn("retry_at_ms", "integer").execute();
    await db.schema.alterTable("batch_target").addColumn("retry_since_ms", "integer").execute();
    await db.schema
      .alterTable("batch_target")
      .addColumn("interruptions", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

const MIGRATIONS: Record<string, Migration> = {
  "0001-create-tables": createTables,
  "0002-add-retry-state": addRetryState,
};

interface MigrationTables {
  sqlite_master: { name: string };
  kysely_migration: { name: string };
}

/** Migrating awaits while it holds the write lock, so a second one in this process would block for ever: one at a time. */
let lastMigration: Promise<unknown> = Promise.resolve();

/**
 * Brings the file to the newest schema; throws for one that a newer fairbatch has written. Takes the write lock first
 * and only when there is something to do, so that two processes may open a new file at once and a reader may open one
 * that is being written.
 */
export function migrate(database: Database): Promise<void> {
  const migration = lastMigration.then(() => migrateNow(database));
  lastMigration = migration.catch(() => {});
  return migration;
}

async function migrateNow(database: Database): Promise<void> {
  const db = new Kysely<MigrationTables>({ dialect: new SqliteDialect({ database }) });
  const made = await madeMigrations(db);
  if (made.some((name) => !(name in MIGRATIONS))) throw new Error("the store was made by a newer version of fairbatch");
  if (made.length === Object.keys(MIGRATIONS).length) return;
  const migrator = new (await migratorClass())({
    db,
    provider: { getMigrations: async () => MIGRATIONS },
    disableTransactions: true,
  });
  database.exec("begin immediate");
  try {
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    database.exec("commit");
  } catch (error) {
    if (database.inTransaction) database.exec("rollback");
    throw error;
  }
}

async function madeMigrations(db: Kysely<MigrationTables>): Promise<string[]> {
  const table = await db.selectFrom("sqlite_master").where("name", "=", "kysely_migration").select("name").execute();
  if (table.length === 0) return [];
  const made = await db.selectFrom("kysely_migration").select("name").execute();
  return made.map(({ name }) => name);
}

/** Where Kysely has had its migrator since 0.29; a plain import would not resolve with 0.28, which has it in its root. */
const MIGRATION_ENTRY: string = "kysely/migration";

async function migratorClass(): Promise<typeof Migrator> {
  const root: Partial<{ Migrator: typeof Migrator }> = await import("kysely");
  return root.Migrator ?? (await import(/* @vite-ignore */ MIGRATION_ENTRY)).Migrator;
}
