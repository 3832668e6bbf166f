import type { AnyActorRef, AnyMachineSnapshot } from "xstate";
import type { JobStatus } from "../job.js";
import type { ActorView, JobView, MachineKind, SpanView } from "./protocol.js";
import { lastKey, leafPaths } from "./state-path.js";

/** The fields of the machines' contexts that are shown, as far as an actor has them. */
interface ShownContext {
  jobId: string;
  index: number;
  attempt: number;
  place: number;
  targetsTotal: number;
  targetsDone: number;
  targetsFailed: number;
  waitMs: number;
  retryWaitMs: number;
}

/** What is kept of a living actor: its newest snapshot as it came, to be looked into when somebody is told. */
export interface LivingActor {
  readonly id: string;
  readonly kind: MachineKind;
  /** A job's own id is in its context. */
  readonly actorId: string;
  snapshot: AnyMachineSnapshot;
  path: string;
  sinceMs: number;
  /** The present phase of the target that it is about. */
  span: SpanView | undefined;
  /** Of a job: what a worker tried last. */
  lastTry: { index: number; attempt: number } | undefined;
  told: boolean;
}

export function livingActor(ref: AnyActorRef, kind: MachineKind, number: number, atMs: number): LivingActor {
  return {
    id: String(number),
    kind,
    actorId: ref.id,
    snapshot: ref.getSnapshot(),
    path: "",
    sinceMs: atMs,
    span: undefined,
    lastTry: undefined,
    told: false,
  };
}

export function contextOf({ snapshot }: LivingActor): Partial<ShownContext> {
  return snapshot.context as Partial<ShownContext>;
}

export function nameOf(actor: LivingActor): string {
  if (actor.kind === "job") return contextOf(actor).jobId ?? actor.actorId;
  return actor.kind === "scheduler" ? "scheduler" : actor.actorId;
}

export function actorView(actor: LivingActor): ActorView {
  const { jobId, index = -1, attempt = 0, place, targetsTotal, targetsDone, targetsFailed } = contextOf(actor);
  const waitMs = waitOf(actor);
  return {
    id: actor.id,
    kind: actor.kind,
    name: nameOf(actor),
    active: leafPaths(actor.snapshot.value),
    sinceMs: actor.sinceMs,
    ...(jobId ? { jobId } : {}),
    ...(index < 0 ? {} : { index }),
    ...(attempt === 0 ? {} : { attempt }),
    ...(place === undefined ? {} : { place }),
    ...(targetsTotal === undefined ? {} : { targetsTotal }),
    ...(targetsDone === undefined ? {} : { targetsDone }),
    ...(targetsFailed === undefined ? {} : { targetsFailed }),
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

/** The row of a job as its actor knows it; undefined for other actors. */
export function jobView(actor: LivingActor): JobView | undefined {
  const { jobId, targetsTotal = 0, targetsDone = 0, targetsFailed = 0 } = contextOf(actor);
  if (actor.kind !== "job" || jobId === undefined) return undefined;
  return { id: jobId, status: statusAt(actor.path), targetsTotal, targetsDone, targetsFailed };
}

function waitOf(actor: LivingActor): number | undefined {
  if (actor.kind !== "job") return undefined;
  const { waitMs, retryWaitMs } = contextOf(actor);
  const key = lastKey(actor.path);
  if (key === "waiting") return waitMs;
  return key === "pausing" ? retryWaitMs : undefined;
}

function statusAt(path: string): JobStatus {
  const outermost = path.split(".", 1)[0];
  if (outermost === "draining") return "cancelled";
  return outermost === "entering" ? "queued" : (outermost as JobStatus);
}
