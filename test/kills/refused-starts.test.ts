import { expect, test } from "vitest";
import { type BatchStore, createBatchRunner, openSqliteStore } from "../../src/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { recordHooks } from "../support/runner.js";
import { admitJob, allRows, done, freshPath, openRaw, openWithConnection } from "../support/stores.js";
import { failStatements } from "./failing-statements.js";
import { unsoundRows } from "./unsound-rows.js";

type Refusal = Error & { code: string };

/** What a process left that died in the midst of two jobs, one of which is cancelled, with a third that was never begun. */
async function leaveJobs(store: BatchStore): Promise<void> {
  const start = { startedAtMs: 1_000, maxInterrupted: 3 };
  for (const id of ["midst", "cancelled", "queued"]) await admitJob(store, id, 3);
  await store.start({ ...start, jobId: "midst", index: 0 });
  await store.settle({ jobId: "midst", outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: undefined });
  await store.start({ ...start, jobId: "midst", index: 1 });
  await store.start({ ...start, jobId: "cancelled", index: 0 });
  await store.cancel("cancelled");
}

const config = (store: BatchStore, resume: boolean) => ({
  store,
  fetch: ({ url }: { url: string }) => ({ content: url }),
  // So that nothing that was left is old.
  clock: new ManualClock(1_000_000),
  ...(resume ? { resume: ({ caller }: { caller: string }) => ({ name: caller }) } : {}),
});

/** Starts on what was left while one statement fails, and once more; undefined where the start has no statement of that number. */
async function startRefused(number: number, resume: boolean) {
  const { store, connection } = await openWithConnection(":memory:");
  await leaveJobs(store);
  const before = allRows(connection);
  const failing = failStatements(connection);
  failing.fails = () => failing.given.length === number;
  const { lines, hooks } = recordHooks();
  const first = await createBatchRunner({ ...config(store, resume), hooks }).catch((error: Refusal) => error);
  const refused =
    first instanceof Error ? { code: first.code, lines: [...lines], rows: allRows(connection) } : undefined;
  failing.fails = () => false;
  if (failing.given.length < number) return undefined;
  const runner = first instanceof Error ? await createBatchRunner({ ...config(store, resume), hooks }) : first;
  await runner.idle();
  await runner.close();
  const { jobs } = allRows(connection) as { jobs: { id: string; status: string; error: string }[] };
  const ends = jobs.map(({ id, status, error }) => `${id} ${status} ${error}`.trim());
  const told = lines.filter((line) => line.startsWith("job "));
  return { before, refused, end: { ends, told, unsound: unsoundRows(connection) } };
}

test.each([
  [false, ["midst failed interrupted", "cancelled cancelled", "queued failed interrupted"], "job failed"],
  [true, ["midst done", "cancelled cancelled", "queued done"], "job done"],
])(
  "section 2: whichever statement of a start is refused, it leaves what was left as it was, and the next start puts it right: resume %s",
  async (resume, ends, told) => {
    let refusals = 0;
    let number = 1;
    for (; ; number++) {
      const start = await startRefused(number, resume);
      if (start === undefined) break;
      const { before, refused, end } = start;
      if (refused !== undefined) expect(refused).toEqual({ code: "SQLITE_FULL", lines: [], rows: before });
      if (refused !== undefined) refusals++;
      expect(end).toEqual({ ends, told: [told, told], unsound: [] });
    }
    // Only the sweep may fail and the start go on.
    expect([refusals, refusals >= 5]).toEqual([number - 2, true]);
  },
);

test("section 2: whichever statement of making a new file is refused, opening it rejects, and the next one makes it whole", async () => {
  const whole = freshPath();
  await (await openSqliteStore(whole)).close();
  const schema = schemaOf(whole);
  let number = 1;
  for (; ; number++) {
    const path = freshPath();
    const refused = await openRefused(path, number);
    if (refused === undefined) break;
    expect(refused).toBe("SQLITE_FULL");
    await (await openSqliteStore(path)).close();
    expect(schemaOf(path)).toEqual(schema);
  }
  expect(number).toBeGreaterThan(30);
});

/** Opens a file while one statement of whatever connection fails; resolves to the code of what it rejects with. */
async function openRefused(path: string, number: number): Promise<string | undefined> {
  const failing = failStatements(undefined);
  failing.fails = () => failing.given.length === number;
  const opened = await openSqliteStore(path).catch((error: Refusal) => error);
  failing.fails = () => false;
  if (opened instanceof Error) return opened.code;
  await opened.close();
  return undefined;
}

function schemaOf(path: string): unknown {
  const raw = openRaw(path);
  return [
    raw.prepare("select type, name, tbl_name, sql from sqlite_master order by name").all(),
    raw.prepare("select name from kysely_migration").all(),
    raw.prepare("select * from batch_total").all(),
    raw.pragma("integrity_check"),
  ];
}
