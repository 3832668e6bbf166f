import type { ActorView, EventView, JobView, SpanView } from "../../src/inspect/protocol.js";

/** A scheduler, and so many idle workers. */
export function runnerActors(workers = 1): ActorView[] {
  const scheduler: ActorView = { id: "s", kind: "scheduler", name: "scheduler", active: ["open"], sinceMs: 0 };
  const names = Array.from({ length: workers }, (_, index) => `worker-${index + 1}`);
  return [
    scheduler,
    ...names.map((name): ActorView => ({ id: name, kind: "worker", name, active: ["idle"], sinceMs: 0 })),
  ];
}

/** The id of the job submitted as the so-manieth: 32 digits that begin with its number. */
export function jobId(place: number): string {
  return String(place).padStart(8, "0").padEnd(32, "f");
}

/** A job's actor, ready for its first turn unless told otherwise. */
export function jobActor(place: number, more: Partial<ActorView> = {}): ActorView {
  const name = jobId(place);
  const counts = { targetsTotal: 4, targetsDone: 0, targetsFailed: 0 };
  return {
    id: `j${place}`,
    kind: "job",
    name,
    jobId: name,
    place,
    active: ["queued.ready"],
    sinceMs: 0,
    ...counts,
    ...more,
  };
}

export function job(place: number, more: Partial<JobView> = {}): JobView {
  return { id: jobId(place), status: "queued", targetsTotal: 4, targetsDone: 0, targetsFailed: 0, ...more };
}

/** An event from the scheduler to a worker, unless told otherwise. */
export function event(id: number, type: string, more: Partial<EventView> = {}): EventView {
  const ends = { from: "s", fromName: "scheduler", to: "worker-1", toName: "worker-1" };
  return { id, atMs: id, type, detail: {}, ...ends, ...more };
}

/** A fetch of a job's first target by worker-1 that lasts a second, unless told otherwise. */
export function span(id: number, place: number, more: Partial<SpanView> = {}): SpanView {
  const of = { jobId: jobId(place), worker: "worker-1", index: 0, attempt: 1 };
  return { id, phase: "fetching", fromMs: id * 1_000, toMs: (id + 1) * 1_000, ...of, ...more };
}
