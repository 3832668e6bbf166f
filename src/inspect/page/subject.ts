import type { ActorView, MachineKind } from "../protocol.js";
import type { Choice } from "./choice.js";
import { shortId, type World } from "./world.js";

/** What a person is shown of an actor, or of a job whose actor is gone. */
export interface Subject {
  kind: MachineKind;
  name: string;
  /** Its whole name, where `name` is only the beginning. */
  fullName: string;
  /** The paths of its active states. */
  active: readonly string[];
  actor?: ActorView;
  progress?: { total: number; done: number; failed: number };
  caller?: string;
}

export type Tone = "quiet" | "busy" | "storing" | "waiting" | "good" | "warn" | "bad" | "off";

const TONES: Record<string, Tone> = {
  idle: "quiet",
  queued: "quiet",
  ready: "quiet",
  entering: "quiet",
  open: "good",
  closed: "off",
  starting: "busy",
  fetching: "busy",
  inFlight: "busy",
  storing: "storing",
  deferring: "waiting",
  waiting: "waiting",
  pausing: "waiting",
  writing: "storing",
  running: "busy",
  draining: "waiting",
  done: "good",
  partial: "warn",
  failed: "bad",
  cancelled: "off",
};

/** What an actor's state means at a glance; a state that nobody foresaw is shown quietly. */
export function toneOf(active: readonly string[]): Tone {
  const leaf = active[0]?.split(".").at(-1) ?? "";
  return TONES[leaf] ?? "quiet";
}

export function subjectOf(world: World, choice: Choice): Subject | undefined {
  return "jobId" in choice ? jobSubject(world, choice.jobId) : actorSubject(world.actors.get(choice.actorId));
}

function actorSubject(actor: ActorView | undefined): Subject | undefined {
  return actor && { kind: actor.kind, name: actor.name, fullName: actor.name, active: actor.active, actor };
}

function jobSubject(world: World, jobId: string): Subject | undefined {
  const job = world.jobs.get(jobId);
  const actor = world.jobActor(jobId);
  const counts = job ?? actor;
  if (counts === undefined) return undefined;
  return {
    kind: "job",
    name: shortId(jobId),
    fullName: jobId,
    active: actor?.active ?? (job === undefined ? [] : [job.status]),
    ...(actor === undefined ? {} : { actor }),
    ...(job?.caller === undefined ? {} : { caller: job.caller }),
    progress: {
      total: counts.targetsTotal ?? 0,
      done: counts.targetsDone ?? 0,
      failed: counts.targetsFailed ?? 0,
    },
  };
}
