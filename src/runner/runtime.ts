import type { Clock } from "../clock.js";
import type { Job } from "../job.js";
import type { BatchStore, SettleRequest } from "../store/batch-store.js";
import type { Caller } from "../target.js";
import type { FetchFunc, Hooks } from "./batch-runner.js";
import type { EventLoopTurn } from "./event-loop-turn.js";
import type { FetchScope } from "./fetch-scope.js";
import type { GaugeKeeper } from "./gauges.js";
import type { LiveJob } from "./live-job.js";
import type { Log } from "./log.js";
import type { Settings } from "./settings.js";
import type { WaitableSet } from "./waitable-set.js";

/** A fetch that was called and has not answered: what aborts it, and what ends the waiting for it. */
export interface FetchInFlight {
  readonly controller: AbortController;
  abandon(): void;
}

/** A job that has ended in memory, and the write that would say so in its rows. */
export interface UnsavedEnd {
  readonly job: Job;
  readonly request: SettleRequest;
  /** What the store refused it with when it was last tried. */
  refusal?: unknown;
}

/** What the parts of one runner share. */
export interface Runtime {
  readonly settings: Settings;
  readonly store: BatchStore;
  readonly fetch: FetchFunc<Caller, object>;
  readonly clock: Required<Clock>;
  readonly hooks: Required<Hooks>;
  readonly log: Log;
  readonly gauges: GaugeKeeper;
  readonly scope: FetchScope;
  readonly eventLoopTurn: EventLoopTurn;
  /** Jobs whose actors are at work, by id: the live ones, and cancelled ones with a target in flight. */
  readonly jobs: Map<string, LiveJob>;
  readonly fetches: Set<FetchInFlight>;
  /** Jobs that a worker is taking a turn on, or that try a held write by themselves, by id. */
  readonly busyJobs: WaitableSet<string>;
  /** Jobs that are live and whose end was not yet announced, by id. */
  readonly unannounced: WaitableSet<string>;
  /** Ends that the store would not take, by job id: tried again every `retryWaitMs`, and before anybody asks for a slot. */
  readonly unsavedEnds: Map<string, UnsavedEnd>;
  /** The present try to write them. */
  savingEnds: Promise<void> | undefined;
  /** The timer of the next one. */
  unsavedEndsTimer: unknown;
  /** The housekeeping that failed when it was last tried. */
  readonly refusedChores: Set<string>;
  phase: "open" | "closing" | "closed";
}
