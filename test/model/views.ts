import type { StoredJob } from "./row-reader.js";
import type { JobRow, TargetRow } from "./rows.js";
import type { RunnerUnderTest } from "./runner-under-test.js";
import type { Runner, World } from "./world.js";

/** What can be seen of the model and of the runner after a step, in the same words. */
export interface View {
  rows: unknown;
  pending: string[];
  timers: number[];
  gauges: unknown;
  aborted: boolean[];
  replies: string[];
  /** Those of this step. */
  told: string[];
  fetches: string[];
}

/** R6: what `status` and `list` answer. */
export interface Reads {
  status: unknown;
  list: unknown;
}

/** How much was seen before this step. */
export interface Seen {
  told: number;
  fetches: number;
}

const NO_GAUGES = { live: 0, inflight: 0 };

export function viewOfModel(
  { rows, ops, timers, calls, ...world }: World,
  runner: Runner | undefined,
  seen: Seen,
): View {
  const isOpen = runner !== undefined && runner.phase !== "opening";
  return {
    rows: rows.jobs.map(({ subject: _, ...job }) => job),
    pending: pendingOf(ops),
    timers: timers.map(({ dueMs }) => dueMs).sort((a, b) => a - b),
    gauges: isOpen ? { live: runner.live, inflight: runner.inflight } : NO_GAUGES,
    aborted: calls.map(({ aborted }) => aborted),
    replies: repliesOf(world.replies),
    told: world.told.slice(seen.told),
    fetches: calls
      .slice(seen.fetches)
      .map(({ job, index, attempt, url, options }) => fetchLine(job.id, index, attempt, url, options)),
  };
}

export function viewOfRunner({ held, runner, ...real }: RunnerUnderTest, rows: readonly StoredJob[], seen: Seen): View {
  return {
    rows,
    pending: pendingOf(held.pending),
    timers: real.clock.dues,
    gauges: runner?.gauges.getSnapshot().context ?? NO_GAUGES,
    aborted: real.calls.map(({ context }) => context.signal.aborted),
    replies: repliesOf(real.replies),
    told: real.told.slice(seen.told),
    fetches: real.calls
      .slice(seen.fetches)
      .map(({ target: { url, options }, context: { jobId, index, attempt } }) =>
        fetchLine(held.named(jobId), index, attempt, url, JSON.stringify(options)),
      ),
  };
}

export function readsOfModel({ rows: { jobs } }: World): Reads {
  return {
    status: jobs.map((job) => ({ job: jobOf(job), targets: job.targets.map(targetOf) })),
    list: jobs.map(jobOf).reverse(),
  };
}

export async function readsOfRunner({ held, runner }: RunnerUnderTest, ids: readonly string[]): Promise<Reads> {
  const named = <T>(value: T): T => JSON.parse(held.named(JSON.stringify(value)));
  const store = runner ?? held.real;
  return {
    status: named(await Promise.all(ids.map((id) => store.status(id)))),
    list: named(await held.real.list()),
  };
}

function fetchLine(job: string, index: number, attempt: number, url: string, options: string): string {
  return `${job}[${index}] attempt ${attempt}: ${url} ${options}`;
}

function pendingOf(ops: readonly { what: string; committed: boolean }[]): string[] {
  return ops.map(({ what, committed }) => `${what}${committed ? " committed" : ""}`).sort();
}

function repliesOf(replies: ReadonlyMap<number, string>): string[] {
  return [...replies].sort(([a], [b]) => a - b).map(([number, text]) => `${number}: ${text}`);
}

function jobOf({ id, caller, callerClass, status, error, targets, done, failed, createdAt }: JobRow) {
  const targetsTotal = targets.length;
  return { id, caller, callerClass, status, error, targetsTotal, targetsDone: done, targetsFailed: failed, createdAt };
}

function targetOf({ url, options, status, result, error, hint, attempts }: TargetRow, index: number) {
  const parsed = result === null ? {} : { result: JSON.parse(result) };
  return { index, url, options: JSON.parse(options), status, ...parsed, error, hint, attempts };
}
