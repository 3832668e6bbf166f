import { expect, test } from "vitest";
import { settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { logIntoMemory } from "../support/log-lines.js";
import { startOnManualClock } from "../support/runner.js";
import { failStatements } from "./failing-statements.js";
import { type OpenFile, OUTAGES, openFile } from "./store-outages.js";
import { type Call, runTroubled, type TroubledRun } from "./troubled-run.js";
import { unsoundRows } from "./unsound-rows.js";
import { wrongWith } from "./wrong-runs.js";

interface Outage {
  begin(): void;
  end(): void;
  /** The call before which it begins. */
  since: Call;
  /** How long it lasts, by the simulated clock. */
  seconds: number;
}

async function runWith({ store, raw }: OpenFile, { begin, end, since, seconds }: Outage): Promise<TroubledRun> {
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

test("R8: in a long outage each job tries once every `retryWaitMs`, at first and when it has ended in memory, and says so a few times", async () => {
  const { store, connection, raw } = await openFile();
  const log = logIntoMemory();
  const fetch = ({ url }: { url: string }) => {
    connection.pragma("query_only = on");
    return { content: url };
  };
  const config = { store, fetch, logger: log.logger, retryWaitMs: 2_000, retryForMs: 180_000 };
  const { clock, submit, runner, lines } = await startOnManualClock(config);
  const failing = failStatements(connection);
  const ids: string[] = [];
  // All three are stored before a worker is woken, and with that the first page fetched.
  for (const caller of ["ann", "bob", "cat"]) ids.push(await submit(caller, "a", "b"));
  const tries: number[] = [];
  for (let minute = 0; minute < 8; minute++) {
    failing.given.length = 0;
    for (let step = 0; step < 120; step++) {
      await settled();
      clock.jump(500);
    }
    tries.push(failing.given.filter((statement) => statement === "BEGIN IMMEDIATE").length);
  }
  // In the minute in which it gives up, a job tries the start and the outcome of each target once more, the outcome both
  // with the next start and alone.
  expect(Math.max(...tries)).toBeLessThanOrEqual(3 * 30 + 3 * 12);
  expect(tries.slice(5)).toEqual(Array(3).fill(3 * 30));
  const warnings = ids.map((id) => log.warnings().filter(({ jobId }) => jobId === id).length);
  expect([Math.max(...warnings) <= 3, log.warnings().length <= 3 * 2 + 1, log.lines().length < 50]).toEqual([
    true,
    true,
    true,
  ]);
  expect(log.text()).not.toContain("s3cret");

  await settled();
  connection.pragma("query_only = off");
  clock.jump(2_000);
  await runner.idle();
  await settled();
  const stored = ids.map((id) => `job ${jobRows(raw, id).job?.status}`);
  expect([stored, unsoundRows(raw), clock.waits]).toEqual([lines.filter(isEnd), [], []]);
});

const isEnd = (line: string) => /^job (done|partial|failed)$/.test(line);
