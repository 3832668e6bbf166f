import { endStatus } from "../../src/job.js";
import type { JobRef } from "../../src/machines/job-machine.js";
import type { WorkerEvent } from "../../src/machines/worker-machine.js";
import type { JobRows } from "../support/job-rows.js";
import { stateName } from "../support/machine-actors.js";
import {
  hasMore,
  isCatchingUp,
  RETRY_FOR_MS,
  RETRY_WAIT_MS,
  type Standing,
  tell,
  tellAsker,
  tellWorker,
} from "./job-standing.js";

type Committed = { after: Standing; commits: number };

/** The write is done and its answer not yet heard: the rows have changed, and nobody was told. */
export function committed(at: Standing): Committed {
  const write = at.asked;
  const after: Standing = { ...at, refusing: "no" };
  if (isCatchingUp(at)) return caughtUp(after);
  if (write === "start") return started(after, after.job.context.targetsDone);
  // The other job's target is stored in the same transaction, whatever this one's start comes to.
  if (write === "begin") return { ...started(after, after.job.context.targetsDone), commits: 1 };
  return write === "settle" ? settledAndStarted(after) : deferred(after);
}

function isLive({ job }: JobRows): boolean {
  return job?.status === "queued" || job?.status === "running";
}

function withTarget(targets: string[], index: number, text: string): string[] {
  return targets.length === 0 ? targets : targets.with(index, text);
}

function started(at: Standing, index: number): Committed {
  const { rows, broken, interrupted } = at;
  if (!isLive(rows)) return { after: { ...at, answer: { type: "target.refused" } }, commits: 0 };
  const running: JobRows = { job: { ...rows.job!, status: "running" }, targets: rows.targets };
  if (interrupted.includes(index)) {
    const after: Standing = { ...at, rows: running, answer: { type: "target.faulted", hasMore: true } };
    return { after, commits: rows.job?.status === "queued" ? 1 : 0 };
  }
  const withStarted = { ...running, targets: withTarget(rows.targets, index, "running") };
  if (broken.includes(index)) {
    return { after: { ...at, rows: withStarted, answer: { type: "target.faulted", hasMore: true } }, commits: 1 };
  }
  const answer: WorkerEvent = { type: "target.started", index, attempt: 1, first: false };
  return { after: { ...at, rows: withStarted, answer }, commits: 1 };
}

/** What was held is stored in the same transaction, whatever the start comes to. */
function caughtUp(at: Standing): Committed {
  const { rows, unsaved, job } = at;
  if (rows.job === undefined) return started({ ...at, unsaved: [] }, job.context.targetsDone);
  const targets = unsaved.reduce((all, { index, text }) => withTarget(all, index, text), rows.targets);
  const { targetsDone: done, targetsFailed: failed } = job.context;
  const stored: Standing = { ...at, unsaved: [], rows: { job: { ...rows.job, done, failed }, targets } };
  return { ...started(stored, done), commits: 1 };
}

function faulted(at: Standing, error = "internal error"): Standing {
  return { ...at, ending: { kind: "over", status: "failed", error } };
}

/** Where the worker goes on with the job, the next target is started in the same transaction. */
function settledAndStarted(at: Standing): Committed {
  const isStoring = stateName(at.worker) === "storing";
  const { after, commits } = settled(at);
  const answer = after.answer as Extract<WorkerEvent, { type: "target.stored" }>;
  // The other job's next target is started with it.
  if (!at.scope.alone) return { after, commits: isStoring ? 1 : commits };
  if (!isStoring || at.worker.context.next === undefined || !answer.live) return { after, commits };
  const index = at.job.context.targetsDone + 1;
  const next = started({ ...after, answer: undefined }, index).after;
  const begun =
    next.answer?.type === "target.started" && !stateName(at.job).startsWith("queued")
      ? { index, attempt: 1 }
      : undefined;
  return { after: { ...next, nextStart: next.answer, answer: { ...answer, again: true, begun } }, commits };
}

/** The counts and the texts as the row is to say them with the present outcome. */
function outcomeOf({ job, ending }: Standing) {
  if (ending?.kind !== "over") throw new Error("the target is not over");
  const { targetsDone, targetsFailed, targetsTotal } = job.context;
  const done = targetsDone + 1;
  const failed = targetsFailed + (ending.status === "failed" ? 1 : 0);
  const text = ending.error === "" ? ending.status : `${ending.status}: ${ending.error}`;
  const end = done === targetsTotal ? endStatus(targetsTotal, failed) : undefined;
  return { index: targetsDone, done, failed, text, end, isFailed: ending.status === "failed" };
}

function settled(at: Standing): Committed {
  const { rows, unsaved } = at;
  const { index, done, failed, text, end, isFailed } = outcomeOf(at);
  const live = isLive(rows);
  const answer = { type: "target.stored", failed: isFailed, live } as const;
  if (rows.job === undefined) return { after: { ...at, answer, unsaved: [] }, commits: 0 };
  const status = live ? (end ?? "running") : rows.job.status;
  const written = [...unsaved, { index, text }];
  const targets = written.reduce((all, outcome) => withTarget(all, outcome.index, outcome.text), rows.targets);
  return {
    after: { ...at, answer, unsaved: [], rows: { job: { ...rows.job, status, done, failed }, targets } },
    commits: 1,
  };
}

function deferred(at: Standing): Committed {
  const { rows, job, ending, deferredSinceMs } = at;
  if (ending?.kind !== "later") throw new Error("the target has not asked for later");
  const index = job.context.targetsDone;
  const answer = { type: "target.deferred", waitMs: waitLeftMs(at), live: isLive(rows) } as const;
  const targets = withTarget(rows.targets, index, "pending");
  const retry = deferredSinceMs === undefined ? undefined : { index, dueMs: ending.dueMs, sinceMs: deferredSinceMs };
  return { after: { ...at, answer, retry, rows: { ...rows, targets } }, commits: rows.job === undefined ? 0 : 1 };
}

/** What is heard of an answer: hook `target` before anybody else, and the rest by the machines' definitions. */
export function heard(before: Standing, answer: WorkerEvent): Standing {
  const waiting: Standing = { ...before, asked: undefined, answer: undefined, nextStart: undefined };
  const at = before.asked === "begin" ? { ...tellWorker(waiting, beginsWith), asked: undefined } : waiting;
  if (answer.type === "target.started" || answer.type === "target.faulted") return toldOfStart(at, answer);
  if (answer.type === "target.deferred") return tellAsker({ ...at, ending: undefined }, answer);
  if (answer.type !== "target.stored" || at.ending?.kind !== "over") return tellAsker(at, answer);
  const told = tell(at.told, `target ${at.ending.status === "done" ? "ok" : at.ending.error}`, at.rows);
  const after = tellAsker({ ...at, told, ending: undefined, deferredSinceMs: undefined }, answer);
  if (before.nextStart === undefined) return after;
  if (stateName(after.worker) === "fetching") return fetchedUnlessDraining(after);
  // There is more to that start than to fetch: it is told as if the store had been asked just now.
  return toldOfStart({ ...after, asked: undefined }, before.nextStart);
}

const beginsWith: WorkerEvent = { type: "worker.take", place: 1, jobId: "j1", job: { id: "job" } as JobRef };

function toldOfStart(at: Standing, answer: WorkerEvent): Standing {
  if (answer.type === "target.started") {
    return fetchedUnlessDraining(tellAsker(at, { ...answer, first: stateName(at.job).startsWith("queued") }));
  }
  if (answer.type !== "target.faulted") return tellAsker(at, answer);
  const { interrupted, refusing, rows, job } = at;
  const isTooOften = refusing === "no" && rows.job !== undefined && interrupted.includes(job.context.targetsDone);
  return tellAsker(faulted(at, isTooOften ? "interrupted" : "internal error"), { ...answer, hasMore: hasMore(at) });
}

/** A job that was cancelled before the fetch has its target put back without one. */
function fetchedUnlessDraining(at: Standing): Standing {
  if (!stateName(at.job).startsWith("draining")) return at;
  const ending = { kind: "later", dueMs: at.nowMs + RETRY_WAIT_MS, unfetched: true } as const;
  return tellWorker({ ...at, ending }, { type: "fetch.settled", outcome: "later", hasMore: false });
}

export function refusedWrite(at: Standing): Standing {
  // The target may be started all the same.
  if (isCatchingUp(at)) return { ...at, asked: "start" };
  const type = at.asked === "start" ? "target.unstarted" : "target.unsaved";
  return tellAsker({ ...at, asked: undefined, refusing: "within the window" }, { type });
}

/** How long the store has been refusing by then is for the world to arrange: the whole window, unless it is over already. */
export function windowLeftMs({ refusing }: Standing): number {
  return refusing === "past the window" ? 0 : RETRY_FOR_MS + 1;
}

/** The job goes on from memory: the rows stay as they were. */
export function givenUp(at: Standing): Standing {
  const passed = windowLeftMs(at);
  const after: Standing = {
    ...at,
    nowMs: at.nowMs + passed,
    refusing: "past the window",
  };
  const write = at.asked;
  if (write === "start") return heard(after, { type: "target.faulted", hasMore: true });
  if (write === "defer") return heard(after, { type: "target.deferred", waitMs: waitLeftMs(after), live: true });
  const { index, text, isFailed } = outcomeOf(after);
  const live = !stateName(after.job).startsWith("draining");
  const again = live && stateName(after.worker) === "storing" && after.worker.context.next !== undefined;
  const unsaved = [...after.unsaved, { index, text }];
  return heard({ ...after, unsaved }, { type: "target.stored", failed: isFailed, live, again });
}

function waitLeftMs({ ending, nowMs }: Standing): number {
  return ending?.kind === "later" ? Math.max(0, ending.dueMs - nowMs) : 0;
}
