import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import type { BatchStore } from "../../src/index.js";
import { jobRows } from "../support/job-rows.js";
import { logIntoMemory } from "../support/log-lines.js";
import { startOnManualClock } from "../support/manual-clock.js";
import { settled } from "../support/runner.js";
import { freshPath, openRaw, openWithConnection } from "../support/stores.js";
import { failStatements } from "./failing-statements.js";
import { type Call, runTroubled, type TroubledRun } from "./troubled-run.js";
import { unsoundRows } from "./unsound-rows.js";
import { wrongWith } from "./wrong-runs.js";

interface File {
  store: BatchStore;
  /** The very connection of the store. */
  connection: Database;
  /** Another one. */
  raw: Database;
}

async function openFile(): Promise<File> {
  const path = freshPath();
  const { store, connection } = await openWithConnection(path);
  return { store, connection, raw: openRaw(path) };
}

interface Outage {
  begin(): void;
  end(): void;
  /** The call before which it begins. */
  since: Call;
  /** How long it lasts, by the simulated clock. */
  seconds: number;
}

async function runWith({ store, raw }: File, { begin, end, since, seconds }: Outage): Promise<TroubledRun> {
  let leftSeconds = Number.POSITIVE_INFINITY;
  return runTroubled(store, raw, {
    before(call) {
      if (call !== since) return;
      begin();
      leftSeconds = seconds;
    },
    passed() {
      if (--leftSeconds === 0) end();
    },
  });
}

const WRITES = [
  ["insert", "batch_job"],
  ["update", "batch_job"],
  ["insert", "batch_target"],
  ["update", "batch_target"],
  ["update", "batch_total"],
  ["insert", "batch_caller"],
  ["delete", "batch_caller"],
] as const;

/** How the store is put into trouble, and out of it. */
const OUTAGES: [name: string, begin: (file: File) => void, end: (file: File) => void][] = [
  [
    "a full disk",
    ({ connection }) => connection.pragma(`max_page_count = ${connection.pragma("page_count", { simple: true })}`),
    ({ connection }) => connection.pragma("max_page_count = 1000000"),
  ],
  [
    "a file that may only be read",
    ({ connection }) => connection.pragma("query_only = on"),
    ({ connection }) => connection.pragma("query_only = off"),
  ],
  ["another's write lock", ({ raw }) => raw.exec("begin immediate"), ({ raw }) => raw.exec("rollback")],
  ...WRITES.flatMap(([write, table]) =>
    (["abort", "rollback"] as const).map((how): (typeof OUTAGES)[number] => [
      `a trigger that answers each ${write} on ${table} with ${how}`,
      ({ raw }) =>
        raw.exec(`create trigger trouble before ${write} on ${table} begin select raise(${how}, 's3cret'); end`),
      ({ raw }) => raw.exec("drop trigger trouble"),
    ]),
  ),
];

test.each(OUTAGES)(
  "R8: after an outage nothing is lost or fetched twice, and rows, hooks and answers agree: %s",
  async (name, begin, end) => {
    // Whoever submits waits by real time for the lock of another, so that this outage begins after the submits.
    const since: Call = name.includes("lock") ? "cancel" : "submit bob";
    const found: unknown[] = [];
    for (const seconds of [4, 14]) {
      const file = await openFile();
      const outage = { begin: () => begin(file), end: () => end(file), since, seconds };
      const run = await runWith(file, outage);
      const refused = Object.values(run.calls).filter((answer) => String(answer).startsWith("error SQLITE_"));
      if (refused.length + run.warnings.length === 0) found.push({ seconds, wrong: "nobody felt it" });
      found.push(...wrongWith(run, seconds === 4).map((wrong) => ({ seconds, wrong })));
    }
    expect(found).toEqual([]);
  },
);

test("R8: in an hour's outage each job tries once every `retryWaitMs`, at first and when it has ended in memory, and says so a few times", async () => {
  const { store, connection, raw } = await openFile();
  const log = logIntoMemory();
  const fetch = ({ url }: { url: string }) => {
    connection.pragma("query_only = on");
    return { content: url };
  };
  const { clock, submit, runner, lines } = await startOnManualClock({ store, fetch, logger: log.logger });
  const failing = failStatements(connection);
  const ids: string[] = [];
  // All three are stored before a worker is woken, and with that the first page fetched.
  for (const caller of ["ann", "bob", "cat"]) ids.push(await submit(caller, "a", "b"));
  const tries: number[] = [];
  for (let minute = 0; minute < 60; minute++) {
    failing.given.length = 0;
    for (let wait = 0; wait < 30; wait++) {
      await settled();
      clock.advance(2_000);
    }
    tries.push(failing.given.filter((statement) => statement === "BEGIN IMMEDIATE").length);
  }
  // In the minute in which it gives up, a job tries the start and the outcome of each target once more.
  expect(Math.max(...tries)).toBeLessThanOrEqual(3 * 30 + 3 * 4);
  expect(tries.slice(20)).toEqual(Array(40).fill(3 * 30));
  const warnings = ids.map((id) => log.warnings().filter(({ jobId }) => jobId === id).length);
  expect([Math.max(...warnings) <= 3, log.warnings().length <= 3 * 2 + 1, log.lines().length < 50]).toEqual([
    true,
    true,
    true,
  ]);
  expect(log.text()).not.toContain("s3cret");

  await settled();
  connection.pragma("query_only = off");
  clock.advance(2_000);
  await runner.idle();
  await settled();
  const stored = ids.map((id) => `job ${jobRows(raw, id).job?.status}`);
  expect([stored, unsoundRows(raw), clock.waits]).toEqual([lines.filter(isEnd), [], []]);
});

const isEnd = (line: string) => /^job (done|partial|failed)$/.test(line);
