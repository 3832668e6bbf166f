import {
  type AnyActorRef,
  type AnyTransitionDefinition,
  createActor,
  fromCallback,
  type InspectionEvent,
  SimulatedClock,
} from "xstate";
import { type JobEvent, type JobInput, type JobRef, jobMachine } from "../../src/machines/job-machine.js";
import { type WorkerEvent, workerMachine } from "../../src/machines/worker-machine.js";

/** A simulated clock that knows how many timers are still to fire. */
export class CountingClock extends SimulatedClock {
  readonly #pending = new Set<number>();

  get pending(): number {
    return this.#pending.size;
  }

  override setTimeout(fn: (...args: unknown[]) => void, ms: number): number {
    const id = super.setTimeout((...args) => {
      this.#pending.delete(id);
      fn(...args);
    }, ms);
    this.#pending.add(id);
    return id;
  }

  override clearTimeout(id: number): void {
    this.#pending.delete(id);
    super.clearTimeout(id);
  }
}

/** What happens to an actor: an event, or so many milliseconds that pass. */
export type Step<E> = E | number;

/** An actor, in a job's or a parent's place, that does nothing but write down each event it is sent, xstate's own ones left out. */
export function startListener(said: string[], name: string, clock = new CountingClock()) {
  const logic = fromCallback<{ type: string }>(({ receive }) => {
    receive(({ type, ...rest }) => {
      if (type.startsWith("xstate.")) return;
      said.push(
        `${name} <- ${[type, ...Object.entries(rest).map(([key, value]) => `${key}=${nameOf(value)}`)].join(" ")}`,
      );
    });
  });
  const transitions: { actor: string; transition: AnyTransitionDefinition }[] = [];
  const inspect = (event: InspectionEvent) => {
    if (event.type !== "@xstate.microstep") return;
    const actor = (event.actorRef as AnyActorRef).id;
    transitions.push(...event._transitions.map((transition) => ({ actor, transition })));
  };
  const actor = createActor(logic, { id: name, clock, inspect }).start();
  return { actor: actor as unknown as JobRef, clock, transitions };
}

function nameOf(value: unknown): string {
  return typeof value === "object" && value !== null && "id" in value ? String(value.id) : String(value);
}

/** A state as in the docs: `running.saving.writing`. */
export function stateName(snapshot: { value: unknown }): string {
  const name = (value: unknown): string =>
    typeof value === "string"
      ? value
      : Object.entries(value as object)
          .map(([key, inner]) => `${key}.${name(inner)}`)
          .join("+");
  return name(snapshot.value);
}

/** A job alone, under a parent that listens: `said` holds its effects and what its parent was told, in order. */
export function startJob(input: Partial<JobInput> = {}) {
  const said: string[] = [];
  const { actor: parent, clock, transitions } = startListener(said, "parent");
  const logic = jobMachine.provide({
    actions: {
      saveTarget: () => void said.push("saveTarget"),
      announceCancelled: () => void said.push("announceCancelled"),
      announceEnd: ({ context }) => void said.push(`announceEnd ${context.targetsDone}/${context.targetsFailed}`),
    },
  });
  const job = createActor(logic, {
    id: "job",
    parent,
    input: { jobId: "j1", place: 7, targetsTotal: 3, retryWaitMs: 2_000, ...input },
  }).start();
  const run = (...steps: Step<JobEvent>[]) => {
    for (const step of steps) typeof step === "number" ? clock.increment(step) : job.send(step);
  };
  return { job, clock, said, run, transitions, state: () => stateName(job.getSnapshot()) };
}

/** A worker alone, whose effects the test answers by sending events. */
export function startWorker() {
  const said: string[] = [];
  const { actor: parent, clock, transitions } = startListener(said, "parent");
  const effect =
    (name: string) =>
    ({ context }: { context: { jobId: string; index: number; attempt: number } }) =>
      void said.push(`${name} ${context.jobId} ${context.index} ${context.attempt}`);
  const logic = workerMachine.provide({
    actions: {
      announceIdle: effect("announceIdle"),
      startTarget: effect("startTarget"),
      fetchTarget: effect("fetchTarget"),
      storeTarget: effect("storeTarget"),
      deferTarget: effect("deferTarget"),
    },
  });
  const worker = createActor(logic, { id: "worker-1", parent }).start();
  const job = startListener(said, "job a").actor;
  const other = startListener(said, "job b").actor;
  const run = (...events: WorkerEvent[]) => {
    for (const event of events) worker.send(event);
  };
  return { worker, clock, job, other, said, run, transitions, state: () => stateName(worker.getSnapshot()) };
}
