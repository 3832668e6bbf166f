import type { SpanView } from "../protocol.js";
import { shortId, type World } from "./world.js";

export type Phase = SpanView["phase"];

/** One line of the timeline: what a worker did, or what became of a job's targets. */
export interface Lane {
  kind: "worker" | "job";
  /** A worker's name or a job's id. */
  key: string;
  label: string;
  spans: SpanView[];
}

const NUMBERS_MAX = 50_000;

/** Numbers jobs in the order in which they were first seen at work: neighbours get different colours, and keep them. */
export class JobNumbers {
  readonly #numbers = new Map<string, number>();
  #next = 0;

  of(jobId: string): number {
    const known = this.#numbers.get(jobId);
    if (known !== undefined) return known;
    if (this.#numbers.size >= NUMBERS_MAX) this.#numbers.clear();
    this.#numbers.set(jobId, this.#next);
    return this.#next++;
  }
}

/** What goes on within a window: all workers, and the jobs that have something in it. */
export function lanesWithin(world: World, numbers: JobNumbers, fromMs: number, toMs: number): Lane[] {
  const workers = new Map<string, Lane>();
  for (const { kind, name } of world.staff.values()) {
    if (kind === "worker") workers.set(name, { kind, key: name, label: name, spans: [] });
  }
  const jobs = new Map<string, Lane>();
  for (const span of world.spans.values()) {
    if (span.fromMs > toMs || (span.toMs ?? Number.POSITIVE_INFINITY) < fromMs) continue;
    numbers.of(span.jobId);
    laneOf(jobs, "job", span.jobId, shortId(span.jobId)).spans.push(span);
    if (span.worker !== undefined) laneOf(workers, "worker", span.worker, span.worker).spans.push(span);
  }
  const byNumber = [...jobs.values()].sort((one, other) => numbers.of(one.key) - numbers.of(other.key));
  return [...workers.values(), ...byNumber];
}

function laneOf(lanes: Map<string, Lane>, kind: Lane["kind"], key: string, label: string): Lane {
  const lane = lanes.get(key) ?? { kind, key, label, spans: [] };
  lanes.set(key, lane);
  return lane;
}

/** Whether anything goes on, and when the last thing did; `now` while it does. */
export function latestMoment(world: World, nowMs: number): { atMs: number; moving: boolean } {
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const { toMs } of world.spans.values()) {
    if (toMs === undefined) return { atMs: nowMs, moving: true };
    if (toMs > lastMs) lastMs = toMs;
  }
  return { atMs: Math.min(nowMs, lastMs === Number.NEGATIVE_INFINITY ? nowMs : lastMs), moving: false };
}

/** What part of the workers' time within a window each phase took; the rest they were idle. */
export function phaseShares(lanes: readonly Lane[], fromMs: number, toMs: number): Record<Phase | "idle", number> {
  const shares = { starting: 0, fetching: 0, storing: 0, waiting: 0, idle: 0 };
  const workers = lanes.filter(({ kind }) => kind === "worker");
  const firstMs = Math.min(...workers.flatMap(({ spans }) => spans.map((span) => span.fromMs)));
  const beginMs = Math.max(fromMs, firstMs);
  const wholeMs = (toMs - beginMs) * workers.length;
  if (!(wholeMs > 0)) return shares;
  for (const { phase, ...span } of workers.flatMap(({ spans }) => spans)) {
    const spentMs = Math.min(toMs, span.toMs ?? toMs) - Math.max(beginMs, span.fromMs);
    shares[phase] += Math.max(0, spentMs) / wholeMs;
  }
  shares.idle = Math.max(0, 1 - shares.starting - shares.fetching - shares.storing - shares.waiting);
  return shares;
}
