import type { Database } from "better-sqlite3";
import { BatchError, type BatchRunner, type BatchStore, createBatchRunner, type Hooks } from "../../src/index.js";
import { type HeldCall, heldFetch } from "../../src/testing/index.js";
import { ANSWERS, type AnswerName } from "./answers.js";
import { batchOf, type SampleBatch } from "./batches.js";
import { HeldStore } from "./held-store.js";
import type { RowReader } from "./row-reader.js";
import { StepClock } from "./step-clock.js";
import type { Settings } from "./world.js";

/** The real runner over a real store, every write of which is held; it can be closed, opened anew, and die. */
export class RunnerUnderTest {
  readonly held: HeldStore;
  readonly clock: StepClock;
  readonly told: string[] = [];
  readonly calls: HeldCall[] = [];
  readonly replies = new Map<number, string>();
  runner: BatchRunner | undefined;
  #generation = 0;
  readonly #dead = new Set<number>();
  #giveBack = async () => {};
  readonly #fetch = heldFetch({ ignoreAbort: true });
  readonly #thrown = new Set<unknown>();

  constructor(
    store: BatchStore,
    readonly raw: Database,
    readonly rows: RowReader,
    readonly settings: Settings,
    startedAt: { wallMs: number; monoMs: number },
  ) {
    this.held = new HeldStore(store);
    this.clock = new StepClock(startedAt.wallMs, startedAt.monoMs);
  }

  /** `resumes` are the callers whose jobs are taken up again; nobody is asked where it is absent. */
  open(number: number, resumes: readonly string[] | undefined): void {
    const generation = ++this.#generation;
    const { store, giveBack } = this.held.forRunner(generation);
    this.#giveBack = giveBack;
    this.runner = undefined;
    const { fetch } = this.#fetch;
    const resume = ({ caller: name }: { caller: string }) => {
      if (resumes?.includes(name)) return { name };
      if (name === "bob") throw new Error("unknown");
      return undefined;
    };
    const made = createBatchRunner({
      ...{ ...this.settings, store, fetch, clock: this.clock, hooks: this.#hooks(generation) },
      ...(resumes === undefined ? {} : { resume }),
    });
    this.#await(number, made, (runner) => {
      this.runner = runner;
      return "open";
    });
  }

  /** As if the process had died: nothing that was under way is ever answered, and the store is free. */
  async die(): Promise<void> {
    this.held.pending = this.held.pending.filter(({ generation }) => generation !== this.#generation);
    this.#dead.add(this.#generation);
    this.clock.clear();
    this.runner = undefined;
    await this.#giveBack();
  }

  submit(number: number, caller: string, batch: SampleBatch, aborted: boolean): void {
    const reason = new Error("aborted");
    const sent = batchOf(caller, batch, aborted ? AbortSignal.abort(reason) : undefined);
    if (caller === "") Object.assign(sent.caller, { name: 7 });
    const submitted = this.runner?.submit(sent);
    this.#await(
      number,
      submitted,
      ({ id, reused }) => `${reused ? "reused" : "created"} ${this.held.named(id)}`,
      reason,
    );
  }

  cancel(number: number, job: string): void {
    this.#await(number, this.runner?.cancel(this.idOf(job)), (cancelled) => `cancel ${cancelled}`);
  }

  touch(number: number, job: string): void {
    this.#await(number, this.runner?.touch(this.idOf(job)), () => "touched");
  }

  close(number: number, drain: boolean, timeoutMs: number): void {
    this.#await(number, this.runner?.close({ drain, timeoutMs }), () => "closed");
  }

  idOf(job: string): string {
    return this.held.ids.get(job) ?? job;
  }

  answer(index: number, how: AnswerName): void {
    const call = this.calls[index] as HeldCall;
    ANSWERS[how].give(call, (error) => {
      this.#thrown.add(error);
      call.fail(error);
    });
  }

  /** Lets all happen that needs no time, no store and no fetch. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    while (this.#fetch.waiting > 0) this.calls.push(await this.#fetch.next());
  }

  #await<T>(number: number, promise: Promise<T> | undefined, text: (answer: T) => string, reason?: Error): void {
    promise?.then(
      (answer) => this.replies.set(number, text(answer)),
      (error) => this.replies.set(number, error === reason ? "its reason" : describeError(error)),
    );
  }

  #hooks(generation: number): Required<Hooks> {
    const tell = (line: string) => this.told.push(this.#dead.has(generation) ? `${line} of a dead runner` : line);
    return {
      job: (outcome) => tell(`job ${outcome}`),
      target: (error, durationMs, bytes) => tell(`target ${this.#describe(error)} ${durationMs} ${bytes}`),
      jobSeconds: (seconds) => tell(`jobSeconds ${seconds}`),
      depth: (live) => tell(`depth ${live}`),
      inflight: (count) => tell(`inflight ${count}`),
    };
  }

  /** An error that is the very value that was thrown is `thrown`. */
  #describe(error: unknown): string {
    if (error === undefined) return "ok";
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return this.#thrown.has(error) ? `thrown ${text}` : text;
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof BatchError)) return (error as Error).constructor.name;
  return [error.code, error.index, error.limit, error.count].filter((part) => part !== undefined).join(" ");
}
