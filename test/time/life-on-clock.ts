import type { Database } from "better-sqlite3";
import { type BatchRunner, type Clock, createBatchRunner, type RunnerConfig } from "../../src/index.js";
import { type HeldCall, heldFetch, ManualClock, settled } from "../../src/testing/index.js";
import { openStoreFile } from "../support/store-file.js";
import { type TroubledStore, troubledStore } from "../support/troubled-store.js";

/** Node fires a timer that is longer than this at once. */
export const TIMER_MAX_MS = 2 ** 31 - 1;
export const HOUR_MS = 3_600_000;
export const YEAR_MS = 365 * 24 * HOUR_MS;

/** A manual clock that writes down how long each timer was to run. */
export class WatchedClock extends ManualClock {
  readonly timers: number[] = [];

  override setTimeout(fn: (...args: unknown[]) => void, ms: number): number {
    this.timers.push(ms);
    return super.setTimeout(fn, ms);
  }
}

/** The timers of a clock under readings of one's own. */
export function withReadings(clock: WatchedClock, readings: Pick<Clock, "now" | "monotonic">): Clock {
  return {
    setTimeout: (fn, ms) => clock.setTimeout(fn, ms),
    clearTimeout: (id) => clock.clearTimeout(id),
    ...readings,
  };
}

/** A clock without `monotonic`: its wall time is all there is, and its timers do not know when that is set. */
export const wallOnly = (clock: WatchedClock): Clock => withReadings(clock, { now: () => clock.wallMs });

/** A runner on a clock that the test moves, and all that it said: numbers, attempts and waits, but no wall time. */
export interface Life {
  runner: BatchRunner;
  clock: WatchedClock;
  raw: Database;
  said: string[];
  refused: TroubledStore["refused"];
  next(): Promise<HeldCall>;
  submit(...urls: string[]): Promise<string>;
  /** Everything that can happen now happens, and then so much time passes. */
  pass(ms: number): Promise<void>;
}

/** Starts a runner whose clock is made of `clock`, by default with wall and monotonic time. */
export async function startLife(config: Partial<RunnerConfig>, clockOf: (clock: WatchedClock) => Clock): Promise<Life> {
  const { store: real, raw } = await openStoreFile();
  const { store, refused } = troubledStore(real);
  const clock = new WatchedClock();
  const held = heldFetch();
  const said: string[] = [];
  const say = (...words: unknown[]) => void said.push(words.join(" "));
  const runner = await createBatchRunner({
    store,
    clock: clockOf(clock),
    fetch: held.fetch,
    jobsPerCaller: 8,
    hooks: {
      job: (outcome) => say("job", outcome),
      jobSeconds: (seconds) => say("seconds", seconds),
      target: (error, durationMs) => say("target", (error as Error | undefined)?.message ?? "ok", durationMs),
    },
    ...config,
  });
  const next = async () => {
    const call = await held.next();
    const { attempt, jobId, index } = call.context;
    const started = raw.prepare("select started_at_ms from batch_target where job_id = ? and idx = ?").pluck();
    say("fetch", call.target.url, attempt, "started late by", Number(started.get(jobId, index)) - clock.wallMs);
    return call;
  };
  const submit = async (...urls: string[]) => {
    const targets = urls.map((url) => ({ url }));
    return (await runner.submit({ caller: { name: "ann" }, callerClass: "", targets })).id;
  };
  const pass = async (ms: number) => {
    await settled();
    say("waits", clock.waits.join(" "));
    clock.jump(ms);
    await settled();
  };
  return { runner, clock, raw, said, refused, next, submit, pass };
}

/** How the targets stand: with how long each took, by its rows. */
export function targetRows(raw: Database): unknown[] {
  return raw
    .prepare(
      `select url, batch_target.status, batch_target.error, attempts, finished_at_ms - started_at_ms
       from batch_target join batch_job on id = job_id order by seq, idx`,
    )
    .raw()
    .all();
}
