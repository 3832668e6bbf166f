import type { WorkerEvent } from "../../src/machines/worker-machine.js";
import { startWorker } from "./machine-actors.js";

export type WorkerState = "idle" | "starting" | "fetching" | "storing" | "deferring";
export type Answer = Exclude<WorkerEvent, { type: "worker.take" }>;

export const first: Answer = { type: "target.started", index: 0, attempt: 1, first: true };
export const later: Answer = { type: "target.started", index: 4, attempt: 2, first: false };
export const faulted: Answer = { type: "target.faulted", hasMore: true };
const faultedLast: Answer = { type: "target.faulted", hasMore: false };
export const refused: Answer = { type: "target.refused" };
export const unstarted: Answer = { type: "target.unstarted" };
export const unsaved: Answer = { type: "target.unsaved" };
export const stored: Answer = { type: "target.stored", failed: false, live: true };
const storedAgain: Answer = { type: "target.stored", failed: false, live: true, again: true };
export const storedBegun: Answer = { type: "target.stored", failed: true, live: true, begun: { index: 7, attempt: 3 } };
const storedBegunAgain: Answer = { ...storedBegun, again: true };
const storedGone: Answer = { type: "target.stored", failed: true, live: false };
export const deferred: Answer = { type: "target.deferred", waitMs: 500, live: true };
export const over: Answer = { type: "fetch.settled", outcome: "over", hasMore: true };
const overLast: Answer = { type: "fetch.settled", outcome: "over", hasMore: false };
export const tryLater: Answer = { type: "fetch.settled", outcome: "later", hasMore: true };

/** How a worker that has taken a turn of job a gets into each state. */
export const wayTo: Record<Exclude<WorkerState, "idle">, Answer[]> = {
  starting: [],
  fetching: [later],
  storing: [later, over],
  deferring: [later, tryLater],
};

/** The turn that it has is told as it is, which a line does not show. */
export const asks = (hasMore: string) => `parent <- worker.asking worker=worker-1 turn=[object Object] ${hasMore}`;

/** From, what its effect answers, to, what is said: each effect with job, index and attempt; what the job is told. */
export const table: [from: keyof typeof wayTo, answer: Answer, to: WorkerState, says: string[]][] = [
  ["starting", first, "fetching", ["fetchTarget a 0 1", "job a <- target.started index=0 attempt=1 first=true"]],
  ["starting", later, "fetching", ["fetchTarget a 4 2"]],
  ["starting", faulted, "storing", ["storeTarget a -1 0", asks("hasMore=true")]],
  ["starting", faultedLast, "storing", ["storeTarget a -1 0", asks("hasMore=false")]],
  ["starting", refused, "idle", ["announceIdle a -1 0", "job a <- target.refused"]],
  ["starting", unstarted, "idle", ["announceIdle a -1 0", "job a <- target.unstarted"]],
  ["fetching", over, "storing", ["storeTarget a 4 2", asks("hasMore=true")]],
  ["fetching", overLast, "storing", ["storeTarget a 4 2", asks("hasMore=false")]],
  ["fetching", tryLater, "deferring", ["deferTarget a 4 2"]],
  ["storing", stored, "idle", ["announceIdle a 4 2", "job a <- target.stored failed=false live=true"]],
  ["storing", storedGone, "idle", ["announceIdle a 4 2", "job a <- target.stored failed=true live=false"]],
  ["storing", unsaved, "idle", ["announceIdle a 4 2", "job a <- target.unsaved"]],
  ["deferring", deferred, "idle", ["announceIdle a 4 2", "job a <- target.deferred waitMs=500 live=true"]],
  ["deferring", unsaved, "idle", ["announceIdle a 4 2", "job a <- target.unsaved"]],
];

export const noTurn = { job: undefined, jobId: "", place: -1, index: -1, attempt: 0, next: undefined };

const told = (event: string) => `job a <- ${event}`;
const TOLD_STORED = told("target.stored failed=false live=true");
const TOLD_AGAIN = told("target.stored failed=false live=true again=true");
const TOLD_GONE = told("target.stored failed=true live=false");
const TOLD_BEGUN = told("target.stored failed=true live=true begun=[object Object]");
const TOLD_BEGUN_AGAIN = told("target.stored failed=true live=true begun=[object Object] again=true");

/** Storing a target of job a, with a turn of b or one more of a noted as the next: what the store answers, and what comes. */
export const nextTable: [name: string, next: "a" | "b", answer: Answer, to: WorkerState, says: string[]][] = [
  [
    "another job's next target is started: fetched at once",
    "b",
    storedBegun,
    "fetching",
    ["fetchTarget b 7 3", TOLD_BEGUN],
  ],
  [
    "its job's next target is started: fetched at once",
    "a",
    storedBegunAgain,
    "fetching",
    ["fetchTarget a 7 3", TOLD_BEGUN_AGAIN],
  ],
  [
    "another job's is not started, or there is more to it",
    "b",
    stored,
    "starting",
    ["startTarget b -1 0", TOLD_STORED],
  ],
  [
    "its job's is not started, or there is more to it",
    "a",
    storedAgain,
    "starting",
    ["startTarget a -1 0", TOLD_AGAIN],
  ],
  [
    "its job was cancelled elsewhere, and the turn was another's",
    "b",
    storedGone,
    "starting",
    ["startTarget b -1 0", TOLD_GONE],
  ],
  [
    "its job was cancelled elsewhere, and the turn was its own",
    "a",
    storedGone,
    "idle",
    ["announceIdle a 4 2", TOLD_GONE],
  ],
  ["its job has ended, and the turn was its own", "a", stored, "idle", ["announceIdle a 4 2", TOLD_STORED]],
  [
    "the store refused, and the turn was another's",
    "b",
    unsaved,
    "starting",
    ["startTarget b -1 0", told("target.unsaved")],
  ],
  [
    "the store refused, and the turn was its own: the job saves first",
    "a",
    unsaved,
    "idle",
    ["announceIdle a 4 2", told("target.unsaved")],
  ],
];

export function startStoring(next: "a" | "b") {
  const under = startTurn(...wayTo.storing);
  const { job, other, run, said } = under;
  run({ type: "worker.take", place: next === "a" ? 3 : 5, job: next === "a" ? job : other, jobId: next });
  said.length = 0;
  return under;
}

export function startTurn(...answers: Answer[]) {
  const under = startWorker();
  const { job, run } = under;
  run({ type: "worker.take", place: 3, job, jobId: "a" }, ...answers);
  return under;
}
