import type { JobEvent } from "../../src/machines/job-machine.js";
import { stateName } from "../support/machine-actors.js";
import type { Edge } from "./covering-walks.js";
import {
  canRestart,
  hasMore,
  isCatchingUp,
  isOver,
  isWindowOver,
  pairedIfAlone,
  RETRY_WAIT_MS,
  restarted,
  type Standing,
  TARGET_TIMEOUT_MS,
  takeTurn,
  tellJob,
  tellWorker,
} from "./job-standing.js";
import type { JobWorld } from "./job-world.js";
import { committed, givenUp, heard, refusedWrite, windowLeftMs } from "./store-answers.js";

/** Something that happens in the world: where it leads by the machines' definitions, and how it is brought about. */
export interface Move extends Edge<Standing> {
  readonly possible: (at: Standing) => boolean;
  /** Transactions of the job that it commits. */
  readonly commits: (at: Standing) => number;
  readonly make: (world: JobWorld, at: Standing) => unknown;
}

const none = () => 0;
const one = () => 1;

function delaysOf({ job }: Standing): { type: string }[] {
  return job._nodes.flatMap(({ after }) => after.map(({ eventType }) => ({ type: eventType })));
}

function delayMs(at: Standing): number {
  return stateName(at.job).endsWith(".waiting") ? at.job.context.waitMs : RETRY_WAIT_MS;
}

const timePasses: Move[] = [
  {
    name: "a wait is over",
    possible: (at) => delaysOf(at).length > 0,
    leads: (at) => tellJob({ ...at, nowMs: at.nowMs + delayMs(at) }, delaysOf(at)[0] as JobEvent),
    commits: none,
    make: (world, at) => world.advance(delayMs(at)),
  },
];

const turns: Move[] = [
  {
    name: "the worker becomes free",
    possible: ({ job, scope }) => !scope.alone && /^(queued|running)\.ready$/.test(stateName(job)),
    // The worker stores the other job's target, and starts this one's with it; or by itself, where outcomes are held.
    leads: (at) =>
      at.unsaved.length > 0 ? takeTurn(at) : { ...tellJob(at, { type: "target.taken" }), asked: "begin" },
    commits: (at) => (at.unsaved.length > 0 ? 1 : 0),
    make: (world) => world.freeWorker(),
  },
];

const fetching = (at: Standing) => stateName(at.worker) === "fetching";

function fetchFails(name: string, error: string, passesMs: number, make: (world: JobWorld) => unknown): Move {
  return {
    name,
    possible: fetching,
    leads: (at) =>
      tellWorker(
        { ...at, nowMs: at.nowMs + passesMs, ending: { kind: "over", status: "failed", error } },
        { type: "fetch.settled", outcome: "over", hasMore: hasMore(at) },
      ),
    commits: none,
    make,
  };
}

const fetchAnswers: Move[] = [
  {
    name: "the fetch succeeds",
    possible: fetching,
    leads: (at) =>
      tellWorker(
        { ...at, ending: { kind: "over", status: "done", error: "" } },
        { type: "fetch.settled", outcome: "over", hasMore: hasMore(at) },
      ),
    commits: none,
    make: (world) => world.succeed(),
  },
  fetchFails("the fetch fails", "nope", 0, (world) => world.fail()),
  fetchFails("the fetch times out", "timed out", TARGET_TIMEOUT_MS, (world) => world.advance(TARGET_TIMEOUT_MS)),
  {
    name: "the fetch asks for later",
    possible: fetching,
    leads: askedForLater,
    commits: none,
    make: (world) => world.later(),
  },
];

function askedForLater(at: Standing): Standing {
  if (isWindowOver(at)) {
    const ending = { kind: "over", status: "failed", error: "later" } as const;
    return tellWorker({ ...at, ending }, { type: "fetch.settled", outcome: "over", hasMore: hasMore(at) });
  }
  const ending = { kind: "later", dueMs: at.nowMs + RETRY_WAIT_MS } as const;
  const deferredSinceMs = at.deferredSinceMs ?? at.nowMs;
  return tellWorker(
    { ...at, ending, deferredSinceMs },
    { type: "fetch.settled", outcome: "later", hasMore: hasMore(at) },
  );
}

const isAsked = ({ asked, answer }: Standing) => asked !== undefined && answer === undefined;

const storeAnswers: Move[] = [
  {
    name: "the store commits the write",
    possible: isAsked,
    leads: (at) => committed(at).after,
    commits: (at) => committed(at).commits,
    make: (world) => world.waiting().commit(),
  },
  {
    name: "the store answers",
    possible: (at) => at.answer !== undefined,
    leads: (at) => heard(at, at.answer!),
    commits: none,
    make: (world) => world.waiting().answer(),
  },
  {
    name: "the store refuses the write",
    possible: (at) => isAsked(at) && at.asked !== "begin" && (at.refusing !== "past the window" || isCatchingUp(at)),
    leads: refusedWrite,
    commits: none,
    make: (world) => world.waiting().refuse(),
  },
  {
    name: "the store refuses the write, once too often",
    possible: (at) => isAsked(at) && at.asked !== "begin" && at.refusing !== "no" && !isCatchingUp(at),
    leads: givenUp,
    commits: none,
    make: (world, at) => {
      world.advance(windowLeftMs(at));
      world.waiting().refuse();
    },
  },
];

const isRowLive = ({ rows }: Standing) => rows.job?.status === "queued" || rows.job?.status === "running";
const cancelledRows = ({ rows }: Standing) => ({ ...rows, job: { ...rows.job!, status: "cancelled" } });

const othersAct: Move[] = [
  {
    name: "the job is cancelled",
    possible: isRowLive,
    leads: (at) => tellJob({ ...at, rows: cancelledRows(at) }, { type: "job.cancel" }),
    commits: one,
    make: (world) => world.cancel(),
  },
  {
    name: "the job is cancelled elsewhere",
    possible: isRowLive,
    leads: (at) => ({ ...at, rows: cancelledRows(at) }),
    commits: one,
    make: (world) => world.cancelElsewhere(),
  },
  {
    name: "the rows vanish",
    possible: isRowLive,
    leads: (at) => ({ ...at, rows: { job: undefined, targets: [] } }),
    commits: one,
    make: (world) => world.removeRows(),
  },
  {
    name: "the next target's row breaks",
    possible: (at) =>
      isRowLive(at) && at.broken.length === 0 && /^(queued|running)\.(ready|starting)$/.test(stateName(at.job)),
    leads: (at) => ({ ...at, broken: [at.job.context.targetsDone] }),
    commits: one,
    make: (world, at) => world.breakRow(at.job.context.targetsDone),
  },
];

const restarts: Move[] = [
  {
    name: "the runner dies, and another resumes the job",
    possible: canRestart,
    leads: restarted,
    commits: none,
    make: (world) => world.restart(),
  },
];

const closings: Move[] = [
  {
    name: "the runner is closed while a write is held",
    possible: ({ job, asked }) => stateName(job).endsWith(".saving.pausing") && asked === undefined,
    leads: (at) => tellJob({ ...at, closing: true }, { type: "job.save" }),
    commits: none,
    make: (world) => world.close(),
  },
];

/** What a runner that is closing still waits for: after that its actors are stopped, however they stand. */
const WHILE_CLOSING = ["the store commits the write", "the store answers", "the store refuses the write"];

const TROUBLES = ["fails", "times out", "once too often", "elsewhere", "vanish", "breaks"];

const MOVES = [...turns, ...fetchAnswers, ...storeAnswers, ...timePasses, ...othersAct, ...restarts, ...closings];

/** All that can happen to the job as it stands. */
export function movesFrom(at: Standing): Move[] {
  if (isOver(at)) return [];
  const isLeftOut = ({ name }: Move) =>
    (at.scope.plain && TROUBLES.some((trouble) => name.endsWith(trouble))) ||
    (at.closing && !WHILE_CLOSING.includes(name));
  return MOVES.filter((move) => !isLeftOut(move) && move.possible(at)).map((move) => ({
    ...move,
    leads: (from: Standing) => pairedIfAlone(move.leads(from)),
  }));
}

/** Transactions of the other job, as the worker goes on with it, and of a runner that takes its place. */
export function commitsOfOthers({ name }: Move, before: Standing, after: Standing): number {
  const isIdle = ({ worker }: Standing) => stateName(worker) === "idle";
  const { alone } = before.scope;
  if (name.startsWith("the runner dies")) {
    const isRunning = before.rows.targets.includes("running");
    const isStored = before.asked === "begin" && before.answer !== undefined;
    const isBegun = before.asked === "settle" && before.answer !== undefined && !isCatchingUp(before);
    const isOther = !alone && ((isIdle(before) && !isStored) || isBegun);
    return (isRunning || isOther ? 1 : 0) + (alone ? 0 : 1);
  }
  if (alone) return 0;
  if (name.startsWith("the runner is closed")) return 1;
  // Where this job's target was stored, the other job's was started with it.
  const isStartedWithIt = before.answer?.type === "target.stored" && stateName(before.worker) === "storing";
  const wasOnIt = !isIdle(before) || before.asked === "begin";
  return wasOnIt && isIdle(after) && after.asked !== "begin" && name.startsWith("the store") && !isStartedWithIt
    ? 1
    : 0;
}
