import type {
  ActorView,
  EventView,
  Hello,
  JobView,
  MachineKind,
  MachineView,
  RotationView,
  SpanView,
  Update,
} from "../protocol.js";
import type { Choice } from "./choice.js";

export const EVENTS_MAX = 5_000;
export const SPANS_MAX = 20_000;
const ACTOR_IDS_MAX = 20_000;

/** Everything that the page was told and still shows. Bounded, however long it looks on. */
export class World {
  source: Hello["source"] | undefined;
  machines: Partial<Record<MachineKind, MachineView>> = {};
  nowMs = 0;
  actors = new Map<string, ActorView>();
  /** Those that are no jobs: a handful, beside thousands. */
  staff = new Map<string, ActorView>();
  jobs = new Map<string, JobView>();
  /** Over all jobs, kept and not summed: there may be thousands, at each frame. */
  totals = { ended: 0, targetsTotal: 0, targetsDone: 0, targetsFailed: 0 };
  /** Oldest first. */
  events: EventView[] = [];
  /** By id, in the order in which they began. */
  spans = new Map<number, SpanView>();
  rotation: RotationView | undefined;
  jobStates: Record<string, number> = {};
  omitted = { events: 0, spans: 0 };
  /** How many events were told, and how often actors or jobs came or went: a change means that lists are to be made anew. */
  eventsSeen = 0;
  membership = 0;
  #jobActors = new Map<string, ActorView>();
  /** Also of actors that are gone: their events are still there. */
  #jobActorIds = new Map<string, string>();

  /** What a new connection tells replaces all that was known. */
  greet(hello: Hello): void {
    const { membership, eventsSeen } = this;
    Object.assign(this, new World());
    this.membership = membership + 1;
    this.eventsSeen = eventsSeen;
    this.source = hello.source;
    this.machines = hello.machines;
    this.#jobActors = new Map();
    this.#jobActorIds = new Map();
    this.update(hello);
  }

  update(update: Update): void {
    this.nowMs = update.nowMs;
    this.rotation = update.rotation ?? this.rotation;
    this.jobStates = update.jobStates ?? this.jobStates;
    const { actors = [], gone = [], jobs = [], goneJobs = [], spans = [], omitted = { events: 0, spans: 0 } } = update;
    for (const actor of actors) this.#setActor(actor);
    for (const id of gone) this.#dropActor(id);
    for (const job of jobs) this.#setJob(job);
    for (const id of goneJobs) this.#dropJob(id);
    this.#addEvents(update.events ?? []);
    for (const span of spans) this.spans.set(span.id, span);
    dropOldest(this.spans, SPANS_MAX);
    this.omitted.events += omitted.events;
    this.omitted.spans += omitted.spans;
  }

  jobActor(jobId: string): ActorView | undefined {
    return this.#jobActors.get(jobId);
  }

  /** Also where its actor is gone. */
  actorIdOf(choice: Choice): string | undefined {
    return "actorId" in choice ? choice.actorId : this.#jobActorIds.get(choice.jobId);
  }

  #setActor(actor: ActorView): void {
    if (!this.actors.has(actor.id)) {
      this.membership++;
      if (actor.kind === "job") this.#jobActorIds.set(actor.name, actor.id);
      dropOldest(this.#jobActorIds, ACTOR_IDS_MAX);
    }
    this.actors.set(actor.id, actor);
    if (actor.kind !== "job") this.staff.set(actor.id, actor);
    else if (actor.jobId !== undefined) this.#jobActors.set(actor.jobId, actor);
  }

  #dropActor(id: string): void {
    const actor = this.actors.get(id);
    if (actor === undefined) return;
    this.membership++;
    this.actors.delete(id);
    this.staff.delete(id);
    if (actor.jobId !== undefined && this.#jobActors.get(actor.jobId) === actor) this.#jobActors.delete(actor.jobId);
  }

  #setJob(job: JobView): void {
    const before = this.jobs.get(job.id);
    // Where a row without an actor stands depends on whether its job lives.
    if (before === undefined || isLive(before) !== isLive(job)) this.membership++;
    this.#count(before, -1);
    this.#count(job, 1);
    this.jobs.set(job.id, job);
  }

  #dropJob(id: string): void {
    this.#count(this.jobs.get(id), -1);
    if (this.jobs.delete(id)) this.membership++;
  }

  #count(job: JobView | undefined, sign: 1 | -1): void {
    if (job === undefined) return;
    this.totals.ended += isLive(job) ? 0 : sign;
    this.totals.targetsTotal += sign * job.targetsTotal;
    this.totals.targetsDone += sign * job.targetsDone;
    this.totals.targetsFailed += sign * job.targetsFailed;
  }

  #addEvents(events: readonly EventView[]): void {
    this.eventsSeen += events.length;
    for (const event of events) this.events.push(event);
    // Not at every message: a slice copies all.
    if (this.events.length > 2 * EVENTS_MAX) this.events = this.events.slice(-EVENTS_MAX);
  }
}

export function isLive({ status }: JobView): boolean {
  return status === "queued" || status === "running";
}

/** Ids of jobs are 32 digits; eight are enough to tell them apart by eye. */
export function shortId(id: string): string {
  return id.length > 12 ? id.slice(0, 8) : id;
}

function dropOldest<K>(map: Map<K, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
