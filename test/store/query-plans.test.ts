import Sqlite, { type Database } from "better-sqlite3";
import { expect, test, vi } from "vitest";
import type { BatchStore } from "../../src/index.js";
import { admitJob, done, endedJob, openWithConnection, request } from "../support/stores.js";

/** Everything that happens at each submit, each target and each read. */
async function driveHotCalls(store: BatchStore): Promise<void> {
  await admitJob(store, "a", 3);
  await store.admit(request("a"));
  await store.admit(request("b", { limits: { jobsPerCaller: 1 } }));
  await store.admit(request("b", { caller: "bob", limits: { jobsTotal: 1 } }));
  await store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 });
  await store.defer({ jobId: "a", index: 0, retryAtMs: null, retrySinceMs: null });
  await store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 });
  await store.settle({ jobId: "a", outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: undefined });
  await store.cancel("a");
  await store.settle({ jobId: "a", outcomes: [done(1)], targetsDone: 2, targetsFailed: 0, end: undefined });
  await endedJob(store, "ended");
  await store.touch("a", 5_000);
  await store.status("a");
  await store.findJob("a");
  await store.targetsAfter("a", -1, 2);
  await store.timesAfter("a", -1, 2);
  await store.list({ caller: "ann", before: "ended" });
  await admitJob(store, "withdrawn");
  await store.withdraw("withdrawn");
  await store.sweep(1_000);
  await store.evict(0);
}

/** The SQL of every statement that runs meanwhile. */
async function executedSql(connection: Database, work: () => Promise<void>): Promise<Set<string>> {
  const statement = Object.getPrototypeOf(new Sqlite(":memory:").prepare("select 1")) as Sqlite.Statement;
  const spies = (["run", "get", "all"] as const).map((method) => vi.spyOn(statement, method));
  try {
    await work();
    const statements = spies.flatMap((spy) => spy.mock.contexts as Sqlite.Statement[]);
    return new Set(statements.filter(({ database }) => database === connection).map(({ source }) => source));
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** How SQLite would walk the tables, one line a loop. */
function queryPlan(connection: Database, sql: string): string[] {
  const parameters = Array<null>(sql.split("?").length - 1).fill(null);
  const plan = connection.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[];
  return plan.map(({ detail }) => detail);
}

test("R2, design 4: no statement of a submit, a target, a read or an eviction walks all jobs or all targets", async () => {
  const { store, connection } = await openWithConnection(":memory:");
  const executed = await executedSql(connection, () => driveHotCalls(store));
  const plans = [...executed].map((sql) => ({ sql, plan: queryPlan(connection, sql) }));
  const tables = plans.flatMap(({ plan }) => plan.join(" ").match(/batch_(job|target)/g) ?? []);
  expect(new Set(tables)).toEqual(new Set(["batch_job", "batch_target"]));
  expect(executed.size).toBeGreaterThanOrEqual(15);

  // Eviction takes the first entry of an index in its order, which SQLite calls a scan although it ends at once.
  const endsAtOnce = (sql: string, line: string) => /limit \?$/.test(sql) && / USING (COVERING )?INDEX /.test(line);
  const scans = plans.flatMap(({ sql, plan }) =>
    plan
      .filter((line) => /^SCAN batch_(job|target)/.test(line) && !endsAtOnce(sql, line))
      .map((line) => `${line}: ${sql}`),
  );
  expect(scans).toEqual([]);
  const sorts = plans.filter(({ plan }) => plan.some((line) => line.includes("TEMP B-TREE")));
  expect(sorts.filter(({ sql }) => sql.includes("batch_target"))).toEqual([]);
});

test("R1.2: a job is looked for by its idempotency key, and not among all jobs of its caller", async () => {
  const { store, connection } = await openWithConnection(":memory:");
  const executed = await executedSql(connection, () => driveHotCalls(store));
  const lookups = [...executed].filter((sql) => /^select .* where .*idem_key/.test(sql));
  expect(lookups).not.toEqual([]);
  for (const sql of lookups) expect(queryPlan(connection, sql)[0]).toMatch(/^SEARCH batch_job USING .*\bidem_key=\?/);
});

test("R2, eviction: what a turn costs does not grow with the jobs that are stored", async () => {
  const { store, connection } = await openWithConnection(":memory:");
  const insert = connection.prepare(`insert into batch_job (id, caller, caller_class, idem_key, status, error,
    targets_total, targets_done, targets_failed, created_at, lease, nbytes)
    values (?, 'ann', '', ?, ?, '', 1, 0, 0, 1000, 1000, 100)`);
  const cost = async () => {
    const startedAt = performance.now();
    for (let round = 0; round < 100; round++) {
      const id = `job ${performance.now()} ${round}`;
      await store.admit(request(id, { limits: { jobsPerCaller: 1e6, jobsTotal: 1e6 } }));
      await store.start({ jobId: id, index: 0, startedAtMs: 1, maxInterrupted: 3 });
      await store.settle({ jobId: id, outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: "done" });
      await store.sweep(1);
    }
    return performance.now() - startedAt;
  };
  await cost();
  const few = Math.min(await cost(), await cost());
  connection.transaction(() => {
    for (let job = 0; job < 100_000; job++) insert.run(`${job}`, `k ${job}`, job % 2 === 0 ? "done" : "queued");
  })();
  const many = Math.min(await cost(), await cost());
  // A walk over 100,000 rows at each call would cost several hundred times as much.
  expect(many).toBeLessThan(few * 20 + 50);
});
