import type { Database } from "better-sqlite3";
import { type BatchStore, createBatchRunner, type FetchFunc, RetryLaterError, TargetError } from "../../src/index.js";
import { ManualClock, settled } from "../../src/testing/index.js";
import { logIntoMemory } from "../support/log-lines.js";
import { recordHooks } from "../support/runner.js";
import { unsoundRows } from "./unsound-rows.js";

const SECOND = 1_000;
/** More than the pages of a new file have left, so that a full disk is felt. */
const PADDING = "x".repeat(20_000);
const CALLS = [
  "submit ann",
  "submit bob",
  "submit cat",
  "cancel",
  "touch",
  "status",
  "results",
  "watch",
  "again",
] as const;

export type Call = (typeof CALLS)[number];

/** What one run showed: of each call its value or the code of its error, and what is left at the end. */
export interface TroubledRun {
  calls: Partial<Record<Call, unknown>>;
  /** How often each target was answered for good. */
  answered: Map<string, number>;
  hooks: string[];
  warnings: { code?: string; jobId?: string }[];
  /** Each job's status, by caller. */
  jobs: Record<string, string>;
  /** Each target, by caller: `done`, or `failed: ` and its error. */
  targets: Record<string, string[]>;
  unsound: unknown[];
  left: { live: number; inflight: number; timers: number };
}

/** Trouble with the store: it is told of each call to come, of the seconds that have gone by, and when the run is over and its rows are to be read. */
export interface Trouble {
  before?(call: Call): void;
  passed?(seconds: number): void;
  over?(): void;
}

/**
 * Runs three jobs on two workers while the store is in trouble, with 30 s of simulated time to get over it: pages that are
 * fetched, gone or busy, one cancelled in mid-fetch, and everything asked that can be asked.
 */
export async function runTroubled(store: BatchStore, raw: Database, trouble: Trouble): Promise<TroubledRun> {
  const clock = new ManualClock();
  const log = logIntoMemory();
  const { hooks, lines } = recordHooks();
  const { fetch, answered, release } = pages();
  let seconds = 0;
  const pass = async () => {
    await settled();
    clock.jump(SECOND);
    seconds++;
    trouble.passed?.(seconds);
  };
  const config = { store, fetch, clock, hooks, logger: log.logger, workers: 2, retryWaitMs: SECOND };
  const make = () => createBatchRunner({ ...config, jobsPerCaller: 2, retryForMs: 10 * SECOND });
  let runner = await make().catch(() => undefined);
  for (; runner === undefined; runner = await make().catch(() => undefined)) await pass();

  const calls: TroubledRun["calls"] = {};
  const ask = async (call: Call, work: () => Promise<unknown>) => {
    calls[call] = "no answer";
    trouble.before?.(call);
    calls[call] = await work().catch((error: { code?: string }) => `error ${error.code}`);
  };
  const submit = async (name: string, urls: string[]) => {
    const { id } = await runner.submit({ caller: { name }, callerClass: "", targets: urls.map((url) => ({ url })) });
    return id;
  };
  await ask("submit ann", () => submit("ann", ["fast/1", "gone/2", "busy/3", "fast/4"]));
  await ask("submit cat", () => submit("cat", ["held/1", "fast/2"]));
  await ask("submit bob", () => submit("bob", ["fast/1", "fast/2"]));
  await settled();
  const id = String(calls["submit ann"]);
  await Promise.all([
    ask("cancel", () => runner.cancel(String(calls["submit cat"]))),
    ask("touch", () => runner.touch(id).then(() => "ok")),
    ask("status", async () => ((await runner.status(id)) === undefined ? "unknown" : "ok")),
    ask("results", () => first(runner.results(id))),
    ask("watch", () => first(runner.watch(id))),
    ask("again", () => submit("ann", ["fast/1", "gone/2", "busy/3", "fast/4"])),
  ]);
  release();
  while (seconds < 30) await pass();
  await settled();
  await runner.idle();
  await settled();
  const left = { ...runner.gauges.getSnapshot().context, timers: clock.waits.length };
  await runner.close();
  trouble.over?.();
  return { calls, answered, hooks: lines, warnings: log.warnings(), left, ...endOf(raw) };
}

const first = async (values: AsyncIterable<unknown>) => {
  for await (const _ of values) return "ok";
  return "nothing";
};

/** Pages that answer at once, but for the one that is held until `release()`. */
function pages(): { fetch: FetchFunc; answered: Map<string, number>; release(): void } {
  const answered = new Map<string, number>();
  const waiting: (() => void)[] = [];
  const busy = new Set<string>();
  let isReleased = false;
  const fetch: FetchFunc = async ({ url }, { jobId, index }) => {
    if (url.startsWith("busy") && !busy.has(jobId)) {
      busy.add(jobId);
      throw new RetryLaterError("busy", { afterMs: 1_500 });
    }
    if (url.startsWith("held") && !isReleased) await new Promise<void>((resolve) => waiting.push(resolve));
    const key = `${jobId}/${index}`;
    answered.set(key, (answered.get(key) ?? 0) + 1);
    if (url.startsWith("gone")) throw new TargetError("gone");
    return { content: url, meta: { padding: PADDING } };
  };
  const release = () => {
    isReleased = true;
    for (const go of waiting) go();
  };
  return { fetch, answered, release };
}

function endOf(raw: Database): Pick<TroubledRun, "jobs" | "targets" | "unsound"> {
  const jobs = raw.prepare("select caller, status from batch_job order by seq").raw().all() as [string, string][];
  const targets = raw
    .prepare(
      `select caller, group_concat(case t.status when 'done' then json_extract(t.result, '$.content')
         else t.status || iif(t.error = '', '', ': ' || t.error) end, ', ' order by idx)
       from batch_job join batch_target t on id = job_id group by seq`,
    )
    .raw()
    .all() as [string, string][];
  return {
    jobs: Object.fromEntries(jobs),
    targets: Object.fromEntries(targets.map(([caller, list]) => [caller, list.split(", ")])),
    unsound: unsoundRows(raw),
  };
}
