import type { AnyActorRef, AnyMachineSnapshot, InspectionEvent } from "xstate";
import { isLive } from "../job.js";
import type { SchedulerContext } from "../machines/scheduler-machine.js";
import { EndedJobs } from "./ended-jobs.js";
import { EventLog } from "./event-log.js";
import { actorView, contextOf, jobView, type LivingActor, livingActor } from "./living-actor.js";
import { isMachineKind, machineViews } from "./machine-view.js";
import { endAnyPhase, followPhase, isElsewhere } from "./phases.js";
import type { Hello, JobView, RotationView, Update } from "./protocol.js";
import { rotationView } from "./rotation-view.js";
import { pathOf } from "./state-path.js";
import { Timeline } from "./timeline.js";

/** How many events, ended phases and ended jobs are kept for whoever looks later. */
export interface HistoryLimits {
  events: number;
  spans: number;
  jobs: number;
}

/**
 * What an inspector knows of a runner: every living actor, the newest events and phases, the jobs that ended last.
 * Each inspection event is only noted, since there are many for each target; views are made where somebody is told.
 */
export class RunnerHistory {
  readonly #nowMs: () => number;
  readonly #actors = new Map<unknown, LivingActor>();
  readonly #jobs = new Map<string, LivingActor>();
  readonly #jobStates = new Map<string, number>();
  /** Those that a closed runner left alone: they live, by their rows, until the next one has put them right. */
  #left: JobView[] = [];
  readonly #limits: HistoryLimits;
  #ended: EndedJobs;
  #events: EventLog;
  #timeline: Timeline;
  readonly #changed = new Set<LivingActor>();
  #gone: string[] = [];
  #scheduler: LivingActor | undefined;
  #actorsMade = 0;
  #toldRotation: unknown;
  #tell: (() => void) | undefined;

  constructor(limits: HistoryLimits, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#limits = limits;
    this.#ended = new EndedJobs(limits.jobs);
    this.#events = new EventLog(limits.events);
    this.#timeline = new Timeline(limits.spans);
  }

  note(event: InspectionEvent): void {
    if (event.type === "@xstate.event") this.#noteEvent(event);
    else if (event.type === "@xstate.snapshot") this.#noteSnapshot(event);
  }

  /** Calls `tell` at each change from now on; undefined where nobody looks any more. */
  watch(tell: (() => void) | undefined): void {
    this.#tell = tell;
    this.#timeline.watch(tell !== undefined);
    this.#ended.watch(tell !== undefined);
    this.#changed.clear();
    this.#gone = [];
  }

  /** Holds nothing of the runner any more. */
  forget(): void {
    for (const kept of [this.#actors, this.#jobs, this.#jobStates, this.#changed]) kept.clear();
    this.#left = [];
    this.#scheduler = undefined;
    this.#toldRotation = undefined;
    this.#ended = new EndedJobs(this.#limits.jobs);
    this.#events = new EventLog(this.#limits.events);
    this.#timeline = new Timeline(this.#limits.spans);
  }

  /** All that is known now. */
  hello(): Hello {
    this.#changed.clear();
    this.#gone = [];
    const living = [...this.#actors.values()];
    for (const actor of living) actor.told = true;
    const rotation = this.#rotation();
    return {
      source: "runner",
      machines: machineViews(),
      nowMs: this.#nowMs(),
      actors: living.map(actorView),
      events: this.#events.all(),
      spans: this.#timeline.all(),
      ...(rotation === undefined ? {} : { rotation }),
      jobStates: Object.fromEntries(this.#jobStates),
      jobs: [...this.#ended.all(), ...living.flatMap((actor) => jobView(actor) ?? [])],
    };
  }

  /** What changed since it was last asked, or since the last hello. */
  update(): Update {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const actor of changed) actor.told = true;
    const gone = this.#gone;
    this.#gone = [];
    const { events, omitted } = this.#events.changes();
    const { spans, omitted: omittedSpans } = this.#timeline.changes();
    const { jobs: ended, lost } = this.#ended.changes();
    const rotation = this.#rotationIsTold() ? undefined : this.#rotation();
    const jobs = [...ended, ...changed.flatMap((actor) => jobView(actor) ?? [])];
    const lostJobs = lost.filter((id) => !this.#jobs.has(id));
    return {
      nowMs: this.#nowMs(),
      ...(changed.length === 0 ? {} : { actors: changed.map(actorView) }),
      ...(gone.length === 0 ? {} : { gone }),
      ...(events.length === 0 ? {} : { events }),
      ...(omitted + omittedSpans === 0 ? {} : { omitted: { events: omitted, spans: omittedSpans } }),
      ...(spans.length === 0 ? {} : { spans }),
      ...(rotation === undefined ? {} : { rotation }),
      ...(jobs.length === 0 ? {} : { jobs, jobStates: Object.fromEntries(this.#jobStates) }),
      ...(lostJobs.length === 0 ? {} : { goneJobs: lostJobs }),
    };
  }

  #noteEvent({ actorRef, sourceRef, event }: Extract<InspectionEvent, { type: "@xstate.event" }>): void {
    const to = this.#actors.get(actorRef) ?? (event.type === "xstate.init" ? this.#add(actorRef) : undefined);
    if (to === undefined) return;
    const from = sourceRef === undefined ? undefined : this.#actors.get(sourceRef);
    this.#events.note(this.#nowMs(), from, to, event);
    // An actor that breaks has no last snapshot: its parent is told, and nobody else.
    if (from !== undefined && event.type.startsWith("xstate.error.actor.")) this.#end(sourceRef, from);
    this.#tell?.();
  }

  #noteSnapshot({ actorRef, snapshot }: Extract<InspectionEvent, { type: "@xstate.snapshot" }>): void {
    const actor = this.#actors.get(actorRef);
    if (actor === undefined) return;
    actor.snapshot = snapshot as AnyMachineSnapshot;
    const path = pathOf(actor.snapshot.value);
    if (path !== actor.path || isElsewhere(actor)) this.#enter(actor, path);
    if (snapshot.status === "active") {
      if (this.#tell !== undefined) this.#changed.add(actor);
    } else this.#end(actorRef, actor);
    this.#tell?.();
  }

  #enter(actor: LivingActor, path: string): void {
    actor.sinceMs = this.#nowMs();
    if (actor.kind === "job") {
      this.#countState(actor.path, -1);
      this.#countState(path, 1);
    }
    actor.path = path;
    const job = actor.kind === "job" ? actor : this.#jobs.get(contextOf(actor).jobId ?? "");
    followPhase(this.#timeline, actor, actor.sinceMs, job);
  }

  #add(ref: unknown): LivingActor | undefined {
    const { logic } = ref as { logic?: { id?: unknown } };
    if (!isMachineKind(logic?.id)) return undefined;
    const actor = livingActor(ref as AnyActorRef, logic.id, ++this.#actorsMade, this.#nowMs());
    this.#actors.set(ref, actor);
    if (actor.kind === "scheduler") this.#begin(actor);
    const { jobId } = contextOf(actor);
    if (actor.kind === "job" && jobId !== undefined) this.#jobs.set(jobId, actor);
    return actor;
  }

  /** Another runner: what the one before left has failed, but for the jobs that it goes on with, whose actors follow. */
  #begin(scheduler: LivingActor): void {
    this.#scheduler = scheduler;
    for (const job of this.#left) this.#ended.add({ ...job, status: "failed" }, undefined);
    this.#left = [];
  }

  #end(ref: unknown, actor: LivingActor): void {
    this.#actors.delete(ref);
    this.#changed.delete(actor);
    if (actor.told && this.#tell !== undefined) this.#gone.push(actor.id);
    if (this.#scheduler === actor) this.#scheduler = undefined;
    endAnyPhase(this.#timeline, actor, this.#nowMs());
    const job = jobView(actor);
    if (job === undefined) return;
    if (actor.snapshot.status !== "done") {
      // Only left alone, as at a close: it is in none of its states any more.
      this.#countState(actor.path, -1);
      if (isLive(job.status)) this.#left.push(job);
    }
    this.#jobs.delete(job.id);
    this.#ended.add(job, contextOf(actor).place);
  }

  #countState(path: string, change: 1 | -1): void {
    if (path === "") return;
    const count = (this.#jobStates.get(path) ?? 0) + change;
    if (count === 0) this.#jobStates.delete(path);
    else this.#jobStates.set(path, count);
  }

  #rotationIsTold(): boolean {
    return this.#scheduler === undefined || this.#scheduler.snapshot.context === this.#toldRotation;
  }

  #rotation(): RotationView | undefined {
    this.#toldRotation = this.#scheduler?.snapshot.context;
    const context: SchedulerContext | undefined = this.#scheduler?.snapshot.context;
    return context && rotationView(context, (place) => this.#jobIdAt(place));
  }

  #jobIdAt(place: number): string | undefined {
    if (place < 0) return undefined;
    for (const actor of this.#jobs.values()) if (contextOf(actor).place === place) return contextOf(actor).jobId;
    return this.#ended.idAt(place);
  }
}
