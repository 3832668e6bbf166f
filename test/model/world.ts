import type { Caps, Outcome, Rows, Settle, StartAnswer } from "./rows.js";

/** All that the model knows: the rows, the time, what was asked of the store, what was told, and what a runner keeps in memory. */
export interface Settings extends Caps {
  workers: number;
  maxBytes: number;
  retryWaitMs: number;
  retryForMs: number;
  /** 0: none. */
  targetTimeoutMs: number;
  maxInterrupted: number;
}

export interface World {
  readonly settings: Settings;
  readonly rows: Rows;
  wallMs: number;
  monoMs: number;
  /** In the order they were set. */
  timers: Timer[];
  /** What was asked of the store and not yet answered, in order. */
  readonly ops: Op[];
  /** Hooks, in order. */
  readonly told: string[];
  /** Fetches, in order. */
  readonly calls: Call[];
  /** What each command was answered, by its number. */
  readonly replies: Map<number, string>;
  jobsNamed: number;
  /** Counts how often each kind of thing happens. */
  note(kind: string): void;
}

export interface Timer {
  readonly dueMs: number;
  fire(): void;
}

/** A call of the store: asked, then committed (or refused) on the rows, then answered. */
export interface Op {
  readonly what: string;
  readonly runner: Runner;
  /** Whether it settles a target and starts the next one. */
  readonly starts: boolean;
  committed: boolean;
  commit(verdict: Verdict): void;
  answer(): void;
}

/** What a store makes of a call. `start refused`: it settles the one target and cannot start the next one. */
export type Verdict = "taken" | "refused" | "start refused";

export interface Call {
  readonly runner: Runner;
  readonly job: LiveJob;
  readonly index: number;
  readonly attempt: number;
  readonly url: string;
  readonly options: string;
  readonly beganMs: number;
  open: boolean;
  aborted: boolean;
  timeout: Timer | undefined;
}

export type Ending =
  /** `asked`: it wants to be tried again; else closing cut it off, or it never came to its fetch. */
  | { later: true; dueMs: number; asked: boolean; unfetched: boolean }
  | { later: false; outcome: Outcome; told: string; durationMs: number; bytes: number };

/** The target of a job that is under way. */
export interface Flight {
  readonly index: number;
  readonly startedAtMs: number;
  /** Counted by the gauge. */
  counted: boolean;
  ending: Ending | undefined;
}

/** The answer to a start that was stored together with the target before it. */
export interface Begun {
  readonly index: number;
  readonly startedAtMs: number;
  readonly start: StartAnswer;
}

/** A job as a runner has it in memory. */
export interface LiveJob {
  readonly id: string;
  readonly place: number;
  readonly total: number;
  readonly sinceMs: number;
  done: number;
  failed: number;
  /** `turn`: a worker has it. `pausing` and `writing`: the store refused its last write, and it tries again by itself. */
  state: "ready" | "turn" | "waiting" | "pausing" | "writing" | "gone";
  cancelled: boolean;
  /** It is being stored for and goes on, and nobody has taken it again. */
  standing: boolean;
  flight: Flight | undefined;
  begun: Begun | undefined;
  /** True while the write of its flight's ending is being tried. */
  saving: boolean;
  timer: Timer | undefined;
  deferredSinceMs: number | undefined;
  refusedSinceMs: number | undefined;
  /** Outcomes that are counted but that the store would not take. */
  unsaved: Outcome[];
}

export interface Runner {
  readonly world: World;
  phase: "opening" | "open" | "closing" | "closed";
  idleWorkers: number;
  lastPlace: number;
  nextPlace: number;
  readonly jobs: Set<LiveJob>;
  live: number;
  inflight: number;
  /** Submits that were not answered yet. */
  submits: number;
  /** Turns that workers take, and writes that jobs try by themselves. */
  busy: number;
  /** Ends that the store would not take, by job. */
  readonly lateEnds: Map<string, Settle>;
  lateTimer: Timer | undefined;
  /** Who waits for the present try to write them. */
  savingEnds: (() => void)[] | undefined;
  closing: Closing | undefined;
}

export interface Closing {
  stage: "submits" | "jobs" | "turns" | "held" | "ends" | "over";
  readonly drain: boolean;
  limit: Timer | undefined;
  /** The commands that wait for it. */
  readonly askers: number[];
}

export function newRunner(world: World): Runner {
  return {
    ...{ world, phase: "opening", idleWorkers: 0, lastPlace: -1, nextPlace: 0, jobs: new Set(), live: 0, inflight: 0 },
    ...{ submits: 0, busy: 0, lateEnds: new Map(), lateTimer: undefined, savingEnds: undefined, closing: undefined },
  };
}

interface Then<A> {
  answered(answer: A): void;
  refused(): void;
}

/** Asks the store: `commit` is what that does to the rows; then follows what its answer, or its refusal, leads to. */
export function ask<A>(
  runner: Runner,
  what: string,
  commit: (verdict: Verdict) => A,
  { starts = false, ...then }: Then<A> & { starts?: boolean },
): void {
  const { ops, note } = runner.world;
  let answer: { value: A } | undefined;
  const op: Op = {
    ...{ what, runner, starts, committed: false },
    commit(verdict) {
      op.committed = true;
      const method = starts ? `${methodOf(what)} and start` : methodOf(what);
      note(verdict === "taken" ? method : `${method}${verdict === "refused" ? " refused" : ", which is refused"}`);
      if (verdict !== "refused") answer = { value: commit(verdict) };
    },
    answer() {
      ops.splice(ops.indexOf(op), 1);
      if (answer === undefined) then.refused();
      else then.answered(answer.value);
    },
  };
  ops.push(op);
}

/** What a call of the store is known by, in the model and in the runner alike. */
export function opName(method: string, ...args: unknown[]): string {
  return `${method} ${JSON.stringify(args.filter((arg) => arg !== undefined))}`;
}

export const methodOf = (what: string) => what.slice(0, what.indexOf(" "));

export function setTimer(world: World, waitMs: number, fire: () => void): Timer {
  const timer: Timer = {
    dueMs: world.monoMs + waitMs,
    fire() {
      clearTimer(world, timer);
      fire();
    },
  };
  world.timers.push(timer);
  return timer;
}

export function clearTimer(world: World, timer: Timer | undefined): void {
  world.timers = world.timers.filter((each) => each !== timer);
}

/** R7: a gauge is told after each change of its own value. */
export function addLive(runner: Runner, change: 1 | -1): void {
  runner.live += change;
  runner.world.told.push(`depth ${runner.live}`);
}

export function addInflight(runner: Runner, change: 1 | -1): void {
  runner.inflight += change;
  runner.world.told.push(`inflight ${runner.inflight}`);
}

export const unixSeconds = ({ wallMs }: World) => Math.floor(wallMs / 1000);

/** A job that is stored becomes live, last in submit order. */
export function addJob(runner: Runner, known: Pick<LiveJob, "id" | "total" | "sinceMs"> & Partial<LiveJob>): LiveJob {
  const job: LiveJob = {
    ...{
      place: runner.nextPlace++,
      done: 0,
      failed: 0,
      state: "waiting",
      cancelled: false,
      standing: false,
      flight: undefined,
    },
    begun: undefined,
    ...{ saving: false, timer: undefined, deferredSinceMs: undefined, refusedSinceMs: undefined, unsaved: [] },
    ...known,
  };
  runner.jobs.add(job);
  addLive(runner, 1);
  return job;
}
