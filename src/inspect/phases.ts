import { contextOf, type LivingActor, nameOf } from "./living-actor.js";
import type { SpanView } from "./protocol.js";
import { lastKey } from "./state-path.js";
import type { Timeline } from "./timeline.js";

type Phase = SpanView["phase"];

/** What a state means for the target that the actor is about; in any other it is about none. */
const WORKER_PHASES: Record<string, Phase> = {
  starting: "starting",
  fetching: "fetching",
  storing: "storing",
  deferring: "storing",
};
const JOB_PHASES: Record<string, Phase> = { waiting: "waiting", pausing: "waiting", writing: "storing" };

/** Follows an actor into its present state: ends the phase it was in, begins the one it is in. */
export function followPhase(timeline: Timeline, actor: LivingActor, atMs: number, job: LivingActor | undefined): void {
  const phase = (actor.kind === "job" ? JOB_PHASES : WORKER_PHASES)[lastKey(actor.path)];
  const { jobId = "", index = -1, attempt = 0 } = contextOf(actor);
  endPhase(timeline, actor, atMs, { jobId, index, attempt });
  if (phase === undefined) return;
  const tried = index >= 0 ? { index, attempt } : nextTry(actor, job);
  if (job !== undefined) job.lastTry = tried;
  const worker = actor.kind === "worker" ? { worker: nameOf(actor) } : {};
  actor.span = timeline.begin({ jobId, ...worker, ...tried, phase, fromMs: atMs });
}

/** True where it is in a phase of another target than it is about now. */
export function isElsewhere(actor: LivingActor): boolean {
  const { span } = actor;
  if (span === undefined) return false;
  const { jobId, index = -1 } = contextOf(actor);
  return jobId !== span.jobId || (index >= 0 && index !== span.index);
}

/** Targets are taken in order: a job is about the one after those that are stored, and a worker that starts tries it once more. */
function nextTry(actor: LivingActor, job: LivingActor | undefined): { index: number; attempt: number } {
  const index = job === undefined ? 0 : (contextOf(job).targetsDone ?? 0);
  const tries = job?.lastTry?.index === index ? job.lastTry.attempt : 0;
  return { index, attempt: actor.kind === "job" ? tries : tries + 1 };
}

/** The end of a start tells which target and attempt it was. */
function endPhase(
  timeline: Timeline,
  actor: LivingActor,
  atMs: number,
  now: Pick<SpanView, "jobId" | "index" | "attempt">,
): void {
  const { span } = actor;
  if (span === undefined) return;
  if (span.phase === "starting" && now.jobId === span.jobId && now.index >= 0) Object.assign(span, now);
  timeline.end(span, atMs);
  actor.span = undefined;
}

/** For an actor that is no more. */
export function endAnyPhase(timeline: Timeline, actor: LivingActor, atMs: number): void {
  if (actor.span !== undefined) timeline.end(actor.span, atMs);
  actor.span = undefined;
}
