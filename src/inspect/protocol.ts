import type { JobStatus } from "../job.js";

/**
 * What the page is told by `GET <url>stream`, as server-sent events named `hello` (at the start of a connection, and again where
 * a slow reader missed something: it replaces all that was told), `update` (at most ten a second), and `end` when the inspector has
 * closed. Names, ids, counts and error codes; anything else only where whoever made the inspector chose to reveal it.
 */
export interface Hello extends Update {
  /** `runner`: the actors of a living runner. `store`: rows alone, so no actors, no events and no rotation. */
  source: "runner" | "store";
  machines: Record<MachineKind, MachineView> | Record<string, never>;
}

/** What changed since the message before; a thing that is told of again replaces what was told. Absent: no change. */
export interface Update {
  /** Milliseconds since the inspector was made; every time in a message is of this kind. Negative for what rows say of before. */
  nowMs: number;
  actors?: ActorView[];
  /** Actors that are no more, by id. */
  gone?: string[];
  /** Newest last. */
  events?: EventView[];
  /** Events and spans that were left out of this message, because there were too many. */
  omitted?: { events: number; spans: number };
  spans?: SpanView[];
  rotation?: RotationView;
  /** How many jobs, ended ones too, are in each state of the job machine now, by its path (`running.inFlight`). */
  jobStates?: Record<string, number>;
  jobs?: JobView[];
  /** Jobs that the history holds no more, by id. */
  goneJobs?: string[];
}

export type MachineKind = "scheduler" | "worker" | "job";

/** A machine as plain JSON: enough to draw it, and to know a state by its path. */
export interface MachineView {
  kind: MachineKind;
  root: StateView;
  transitions: TransitionView[];
}

export interface StateView {
  /** `running.inFlight`; the root's is "". */
  path: string;
  key: string;
  type: "atomic" | "compound" | "parallel" | "final" | "history";
  initial?: string;
  entry: string[];
  states: StateView[];
}

/** `always`, an event's type, or `after <delay>`. */
export interface TransitionView {
  from: string;
  /** Absent for one that stays where it is. */
  to?: string;
  event: string;
  guard?: string;
  actions: string[];
}

/** A living actor. `jobId` for a job, and for a worker that has one. */
export interface ActorView {
  /** Unique for ever, in submit order of jobs. */
  id: string;
  kind: MachineKind;
  /** What a person calls it: `scheduler`, `worker-1`, a job's id. */
  name: string;
  /** The paths of the active leaves; one, as the machines are now. */
  active: string[];
  sinceMs: number;
  jobId?: string;
  index?: number;
  attempt?: number;
  place?: number;
  targetsTotal?: number;
  targetsDone?: number;
  targetsFailed?: number;
  /** How long its present wait lasts, in ms. */
  waitMs?: number;
}

export interface EventView {
  id: number;
  atMs: number;
  /** Actor ids; absent where it came from outside of the system. */
  from?: string;
  to: string;
  /** What those are called: they may be no more, or never have been told of. */
  fromName?: string;
  toName: string;
  type: string;
  /** Fields that hold counts, indexes, flags, ids: `{ index: 3, attempt: 1 }`. */
  detail: Record<string, string | number | boolean>;
}

/** A phase of one target (or a wait of a job), for the timeline. `toMs` is absent while it lasts; it is told again when it ends. */
export interface SpanView {
  id: number;
  jobId: string;
  /** A worker's name; absent for a wait. */
  worker?: string;
  index: number;
  attempt: number;
  phase: "starting" | "fetching" | "storing" | "waiting";
  fromMs: number;
  toMs?: number;
}

/** The ready jobs in submit order, and where the cursor stands: after the job taken last. At most 200 around the cursor. */
export interface RotationView {
  ready: { jobId: string; place: number }[];
  readyTotal: number;
  lastPlace: number;
  lastJobId?: string;
  idleWorkers: string[];
}

/** A job as its rows say; also after it has ended, as long as the history holds it. */
export interface JobView {
  id: string;
  status: JobStatus;
  targetsTotal: number;
  targetsDone: number;
  targetsFailed: number;
  /** Only where revealed. */
  caller?: string;
}

/**
 * What `GET <url>targets?job=<id>&after=<index>` answers where the inspector has a store to read (else 204): the job as its row
 * says, absent for an unknown one, and a page of its targets in index order. `after` is -1 where it is left out.
 */
export interface TargetPage {
  job?: JobView;
  targets: TargetView[];
  /** There are targets beyond these. */
  more: boolean;
}

/** Texts are cut at 20,000 characters; `options` and `result` are JSON. */
export interface TargetView {
  index: number;
  status: "pending" | "running" | "done" | "failed";
  attempts: number;
  /** Only where revealed, field by field. */
  url?: string;
  options?: string;
  result?: string;
  error?: string;
  hint?: string;
}
