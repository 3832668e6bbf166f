import { randomUUID } from "node:crypto";
import type { AnyActorRef, InspectionEvent, SnapshotFrom } from "xstate";
import { type BatchRunner, type BatchStore, createBatchRunner, RetryLaterError } from "../../src/index.js";
import type { schedulerMachine } from "../../src/machines/scheduler-machine.js";
import { ManualClock, settled } from "../../src/testing/index.js";
import { transitionName } from "../support/machine-transitions.js";
import type { Seen } from "./job-world.js";
import { RETRY_WAIT_MS } from "./turn-moves.js";
import type { Sizes } from "./turn-standing.js";

/** A real runner, whose fetches wait for the test; a job is known by its place in submit order. */
export class TurnWorld {
  readonly #clock = new ManualClock();
  readonly #ids: string[] = [];
  readonly #calls = new Map<string, { succeed(): void; fail(error: Error): void }>();
  readonly #seen: Seen;
  readonly #sizes: Sizes;
  #root: AnyActorRef | undefined;
  #runner!: BatchRunner;

  private constructor(sizes: Sizes, seen: Seen) {
    this.#sizes = sizes;
    this.#seen = seen;
  }

  static async start(store: BatchStore, sizes: Sizes, seen: Seen): Promise<TurnWorld> {
    const world = new TurnWorld(sizes, seen);
    world.#runner = await createBatchRunner({
      store,
      clock: world.#clock,
      workers: sizes.workers,
      jobsPerCaller: sizes.jobs,
      retryWaitMs: RETRY_WAIT_MS,
      inspect: (event) => world.#inspect(event),
      fetch: (target, { jobId }) =>
        new Promise((resolve, reject) => {
          world.#calls.set(jobId, { succeed: () => resolve({ content: target.url }), fail: reject });
        }),
    });
    await settled();
    return world;
  }

  #inspect(event: InspectionEvent): void {
    const actor = event.actorRef as AnyActorRef;
    if (actor.id.startsWith("worker") || actor.id === "job") return;
    this.#root = actor;
    if (event.type !== "@xstate.microstep") return;
    this.#seen.states.add(String((event.snapshot as SnapshotFrom<typeof schedulerMachine>).value));
    for (const transition of event._transitions) this.#seen.transitions.add(transitionName(transition));
  }

  async submit(): Promise<void> {
    // The store outlives this runner, and an equal job would be found there.
    const url = randomUUID();
    const targets = Array.from({ length: this.#sizes.targets }, () => ({ url }));
    const { id } = await this.#runner.submit({ caller: { name: "ann" }, callerClass: "", targets });
    this.#ids.push(id);
  }

  #call(place: number) {
    const id = this.#ids[place]!;
    const call = this.#calls.get(id);
    if (call === undefined) throw new Error(`job ${place} has no fetch in flight`);
    this.#calls.delete(id);
    return call;
  }

  succeed(place: number): void {
    this.#call(place).succeed();
  }

  later(place: number): void {
    this.#call(place).fail(new RetryLaterError());
  }

  cancel(place: number): Promise<boolean> {
    return this.#runner.cancel(this.#ids[place]!);
  }

  advance(ms: number): void {
    this.#clock.jump(ms);
  }

  /** Begins to close; it is closed once the fetches in flight have answered. */
  close(): void {
    void this.#runner.close();
  }

  schedulerNow(): SnapshotFrom<typeof schedulerMachine> {
    return this.#root!.getSnapshot();
  }

  /** The places of the jobs that have a fetch in flight. */
  inFlight(): number[] {
    return [...this.#calls.keys()].map((id) => this.#ids.indexOf(id)).sort();
  }

  async end(): Promise<void> {
    const closed = this.#runner.close();
    for (const { succeed } of this.#calls.values()) succeed();
    await closed;
  }
}
