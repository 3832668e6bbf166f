import type { Database } from "better-sqlite3";
import type { AnyActorRef, AnyMachineSnapshot, InspectionEvent } from "xstate";
import {
  type BatchRunner,
  type BatchStore,
  createBatchRunner,
  type FetchFunc,
  type Job,
  openSqliteStore,
  RetryLaterError,
} from "../../src/index.js";
import { ManualClock, settled } from "../../src/testing/index.js";
import { CommitCount } from "../support/commit-count.js";
import { jobRows } from "../support/job-rows.js";
import { stateName } from "../support/machine-actors.js";
import { transitionName } from "../support/machine-transitions.js";
import { freshPath, openRaw } from "../support/stores.js";
import { HeldStore, type HeldWrite } from "./held-store.js";
import { MAX_INTERRUPTED, RESTART_MS, RETRY_FOR_MS, RETRY_WAIT_MS, TARGET_TIMEOUT_MS } from "./job-standing.js";

interface Call {
  succeed(): void;
  fail(error: Error): void;
}

export interface Seen {
  states: Set<string>;
  transitions: Set<string>;
}

/** A real runner with one worker on a real file: another job's fetch keeps the worker whenever the job under test has no turn. */
export class JobWorld {
  jobId = "";
  /** Each hook that tells of the job under test, with what its row says at that moment. */
  readonly told: string[] = [];
  /** The newest that a watch of the job was told. */
  watched: Job | undefined;
  readonly clock = new ManualClock();
  readonly seen: Record<"job" | "worker" | "scheduler", Seen>;
  #alone = false;
  readonly #held: HeldStore;
  readonly #commits: CommitCount;
  readonly #raw: Database;
  readonly #elsewhere: BatchStore;
  readonly #calls = new Map<string, Call>();
  readonly #jobs = new Map<string, AnyActorRef>();
  #worker: AnyActorRef | undefined;
  #runner!: BatchRunner;
  #closed: Promise<void> | undefined;

  private constructor(path: string, real: BatchStore, elsewhere: BatchStore, seen: JobWorld["seen"]) {
    this.seen = seen;
    this.#commits = new CommitCount(path);
    this.#held = new HeldStore(real);
    this.#raw = openRaw(path);
    this.#elsewhere = elsewhere;
  }

  /** `alone`: there is no other job, and the worker is idle whenever the job under test has no turn. */
  static async start(seen: JobWorld["seen"], alone: boolean): Promise<JobWorld> {
    const path = freshPath();
    const world = new JobWorld(path, await openSqliteStore(path), await openSqliteStore(path), seen);
    world.#alone = alone;
    await world.#start();
    return world;
  }

  async #start(): Promise<void> {
    await this.#run();
    if (this.#alone) return settled();
    const id = await this.#submit("blocker", "block", 1_000);
    // The runner may die however often while it fetches for the other job.
    this.#raw.prepare("update batch_target set interruptions = -1000 where job_id = ?").run(id);
    await settled();
  }

  async #run(): Promise<void> {
    this.#runner = await createBatchRunner({
      store: this.#held.store,
      clock: this.clock,
      fetch: this.#fetch,
      resume: ({ caller }) => ({ name: caller }),
      maxInterrupted: MAX_INTERRUPTED,
      inspect: (event) => this.#inspect(event),
      retryWaitMs: RETRY_WAIT_MS,
      retryForMs: RETRY_FOR_MS,
      targetTimeoutMs: TARGET_TIMEOUT_MS,
      targetsPerJob: 1_000,
      hooks: {
        job: (outcome) => this.#tell(`job ${outcome}`),
        jobSeconds: () => this.#tell("jobSeconds"),
        target: (error, _durationMs, bytes) => {
          if (bytes !== BLOCK_BYTES)
            this.#tell(error === undefined ? "target ok" : `target ${(error as Error).message}`);
        },
      },
    });
  }

  /** The runner dies, as far as its store can tell, with whatever it waits for; another takes its place. */
  async restart(): Promise<void> {
    await this.#die();
    this.#held.drop();
    this.#calls.clear();
    await this.#run();
    void this.#watch();
  }

  /** Begins to close: the other job's fetch obeys its signal, and the runner waits for the write that is held. */
  close(): void {
    this.#closed = this.#runner.close();
    if (!this.#alone) this.#call("block").fail(new Error("aborted"));
  }

  async #die(): Promise<void> {
    const closed = this.#runner.close({ timeoutMs: RESTART_MS });
    this.clock.jump(RESTART_MS);
    await closed;
  }

  /** Submits the job that is under test from now on. */
  async submit(targetsTotal: number): Promise<void> {
    // The worker starts it at once, before its id is known here: whatever is written then is of this job.
    if (this.#alone) this.#held.heldJob = "";
    this.jobId = await this.#submit("ann", "target", targetsTotal);
    this.#held.heldJob = this.jobId;
    this.told.splice(0, this.told.length, `job created | ${this.#row()}`);
    void this.#watch();
    await settled();
  }

  async #submit(name: string, url: string, count: number): Promise<string> {
    const targets = Array.from({ length: count }, () => ({ url }));
    return (await this.#runner.submit({ caller: { name }, callerClass: "", targets })).id;
  }

  readonly #fetch: FetchFunc = ({ url }) =>
    new Promise((resolve, reject) => {
      this.#calls.set(url, { succeed: () => resolve({ content: url }), fail: reject });
    });

  async #watch(): Promise<void> {
    for await (const job of this.#runner.watch(this.jobId)) this.watched = job;
  }

  #tell(line: string): void {
    this.told.push(`${line} | ${this.#row()}`);
  }

  #row(): string {
    const { job } = this.rows();
    return job === undefined ? "no row" : `${job.status} ${job.done} ${job.failed}`;
  }

  #inspect(event: InspectionEvent): void {
    if (event.type !== "@xstate.microstep" && event.type !== "@xstate.snapshot") return;
    const actor = event.actorRef as AnyActorRef;
    const { context, value } = event.snapshot as AnyMachineSnapshot;
    const kind = actor.id === "job" ? "job" : actor.id === "worker-1" ? "worker" : "scheduler";
    if (kind === "worker") this.#worker = actor;
    if (kind === "job") this.#jobs.set(context.jobId, actor);
    this.seen[kind].states.add(stateName({ value }));
    if (event.type === "@xstate.microstep")
      for (const transition of event._transitions) this.seen[kind].transitions.add(transitionName(transition));
  }

  /** The call of the job's fetch. */
  #call(url: string): Call {
    const call = this.#calls.get(url);
    if (call === undefined) throw new Error(`no fetch of ${url} is in flight`);
    this.#calls.delete(url);
    return call;
  }

  freeWorker(): void {
    this.#call("block").succeed();
  }

  succeed(): void {
    this.#call("target").succeed();
  }

  fail(): void {
    this.#call("target").fail(new Error("nope"));
  }

  later(): void {
    this.#call("target").fail(new RetryLaterError("later"));
  }

  advance(ms: number): void {
    this.clock.jump(ms);
  }

  waiting(): HeldWrite {
    if (this.#held.waiting === undefined) throw new Error("no write waits");
    return this.#held.waiting;
  }

  get asked(): HeldWrite["method"] | undefined {
    return this.#held.waiting?.method;
  }

  cancel(): Promise<boolean> {
    return this.#runner.cancel(this.jobId);
  }

  cancelElsewhere(): Promise<boolean> {
    return this.#elsewhere.cancel(this.jobId);
  }

  removeRows(): void {
    this.#raw.prepare("delete from batch_job where id = ?").run(this.jobId);
  }

  breakRow(index: number): void {
    this.#raw.prepare("update batch_target set options = '{' where job_id = ? and idx = ?").run(this.jobId, index);
  }

  rows() {
    return jobRows(this.#raw, this.jobId);
  }

  /** Transactions so far, of all connections together. */
  commits(): number {
    return this.#commits.count();
  }

  jobNow() {
    const { value, context } = this.#jobs.get(this.jobId)!.getSnapshot();
    return { state: stateName({ value }), context };
  }

  /** The worker's state, or `idle` while it has another job's turn. */
  workerNow(): string {
    const { value, context } = this.#worker!.getSnapshot();
    return context.jobId === this.jobId ? stateName({ value }) : "idle";
  }

  /** Ends the job under test, however it stands, so that another can be. */
  async endJob(): Promise<void> {
    this.#held.heldJob = undefined;
    this.#held.waiting?.refuse();
    this.#raw.prepare("delete from batch_job where id = ?").run(this.jobId);
    await settled();
    if (this.#closed !== undefined) {
      await this.#closed;
      this.#closed = undefined;
      await this.#run();
      await settled();
      return;
    }
    this.#calls.get("target")?.succeed();
    await settled();
    this.advance(RETRY_WAIT_MS);
    await settled();
    // Where it waits in the rotation its turn ends it, for it is gone.
    if (this.#alone) return this.#endAlone();
    if (!this.#calls.has("block")) throw new Error("the worker is not where it was");
    this.freeWorker();
    await settled();
  }

  /** A target whose start was put off, or that asks to come later, may need one more turn to find that its job is gone. */
  async #endAlone(): Promise<void> {
    this.#calls.get("target")?.succeed();
    this.#calls.clear();
    await settled();
    this.advance(RETRY_WAIT_MS);
    await settled();
  }

  async end(): Promise<void> {
    await this.#die();
    await this.#held.store.close();
    await this.#elsewhere.close();
    this.#commits.close();
    this.#raw.close();
  }
}

/** What tells a result of the other job from one of the job under test. */
const BLOCK_BYTES = JSON.stringify({ content: "block" }).length;
