import { type Clock, systemClock } from "../clock.js";
import { isLive, type Job } from "../job.js";
import type { BatchStore, TargetTimes } from "../store/batch-store.js";
import type { Hello, JobView, SpanView, Update } from "./protocol.js";
import type { Revealable } from "./reveal.js";
import { storedJobView } from "./target-page.js";
import type { Feed } from "./viewers.js";

export type WatchedStore = Pick<BatchStore, "list" | "timesAfter">;

/** At most twice a second, and only while somebody looks: whoever works on the store has better to do. */
const POLL_MS = 500;
const JOBS_MAX = 500;
/** The newest targets of a job that are looked at, and of all jobs together. */
const TARGETS_OF_JOB = 100;
const SPANS_MAX = 2_000;

type Phase = Omit<SpanView, "id" | "jobId" | "worker">;

interface KnownJob {
  view: JobView;
  spans: Map<string, SpanView>;
}

/** What a store's rows tell an inspector: its jobs, and a timeline of their newest targets. */
export class StoreHistory implements Feed {
  readonly #store: WatchedStore;
  readonly #revealed: ReadonlySet<Revealable>;
  readonly #clock: Required<Clock>;
  readonly #madeAtMs: number;
  /** Newest first. */
  #jobs = new Map<string, KnownJob>();
  #changed = new Set<JobView>();
  #changedSpans = new Set<SpanView>();
  #goneJobs: string[] = [];
  #nextSpan = 1;
  #tell: (() => void) | undefined;
  #timer: unknown;
  #polling = false;

  constructor(store: WatchedStore, revealed: ReadonlySet<Revealable>, clock: Required<Clock> = systemClock) {
    this.#store = store;
    this.#revealed = revealed;
    this.#clock = clock;
    this.#madeAtMs = clock.now();
  }

  watch(tell: (() => void) | undefined): void {
    this.#tell = tell;
    if (tell !== undefined && this.#timer === undefined && !this.#polling) this.#pollAfter(0);
  }

  hello(): Hello {
    this.#forgetChanges();
    const jobs = [...this.#jobs.values()].reverse();
    return {
      source: "store",
      machines: {},
      nowMs: this.#nowMs(),
      jobs: jobs.map(({ view }) => view),
      spans: jobs.flatMap(({ spans }) => [...spans.values()]),
    };
  }

  update(): Update {
    const [jobs, spans, goneJobs] = [[...this.#changed], [...this.#changedSpans], this.#goneJobs];
    this.#forgetChanges();
    return {
      nowMs: this.#nowMs(),
      ...(jobs.length === 0 ? {} : { jobs }),
      ...(spans.length === 0 ? {} : { spans }),
      ...(goneJobs.length === 0 ? {} : { goneJobs }),
    };
  }

  #forgetChanges(): void {
    this.#changed.clear();
    this.#changedSpans.clear();
    this.#goneJobs = [];
  }

  #nowMs(): number {
    return this.#clock.now() - this.#madeAtMs;
  }

  #pollAfter(ms: number): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      if (this.#tell !== undefined) void this.#pollAgain();
    }, ms);
    (this.#timer as { unref?(): void }).unref?.();
  }

  async #pollAgain(): Promise<void> {
    this.#polling = true;
    // What cannot be read now may be read next time.
    await this.#poll().catch(() => {});
    this.#polling = false;
    if (this.#tell !== undefined) this.#pollAfter(POLL_MS);
  }

  async #poll(): Promise<void> {
    const found = await listJobs(this.#store);
    const jobs = new Map<string, KnownJob>();
    let room = SPANS_MAX;
    for (const job of found) {
      const known = await this.#known(job, room);
      room -= known.spans.size;
      jobs.set(job.id, known);
    }
    for (const id of this.#jobs.keys()) if (!jobs.has(id)) this.#goneJobs.push(id);
    this.#jobs = jobs;
    const changes = this.#changed.size + this.#changedSpans.size + this.#goneJobs.length;
    if (changes > 0) this.#tell?.();
  }

  /** Looks at the targets of a job that may have moved since. */
  async #known(job: Job, room: number): Promise<KnownJob> {
    const known = this.#jobs.get(job.id);
    const view = storedJobView(job, this.#revealed);
    const isSame = known !== undefined && JSON.stringify(known.view) === JSON.stringify(view);
    if (isSame && !isLive(job.status)) return known;
    if (!isSame) this.#changed.add(view);
    const limit = Math.min(TARGETS_OF_JOB, room);
    if (limit === 0) return { view, spans: new Map() };
    // Targets are stored in index order: the one after those is under way, or waits.
    const times = await this.#store.timesAfter(job.id, Math.max(-1, job.targetsDone - limit), limit);
    return { view, spans: this.#spansOf(job.id, times, known?.spans) };
  }

  #spansOf(jobId: string, times: readonly TargetTimes[], known: Map<string, SpanView> | undefined) {
    const spans = new Map<string, SpanView>();
    for (const { phase, fromMs, toMs, index, attempt } of times.flatMap(phaseOf)) {
      const key = `${index} ${attempt} ${phase}`;
      const before = known?.get(key);
      const open = {
        id: before?.id ?? this.#nextSpan++,
        jobId,
        index,
        attempt,
        phase,
        fromMs: fromMs - this.#madeAtMs,
      };
      const span: SpanView = toMs === undefined ? open : { ...open, toMs: toMs - this.#madeAtMs };
      spans.set(key, span);
      if (before === undefined || before.toMs !== span.toMs) this.#changedSpans.add(span);
    }
    for (const [key, before] of known ?? []) {
      // Its row has gone on meanwhile: what it did last is over, at a time that nobody wrote down.
      if (before.toMs === undefined && !spans.has(key)) this.#changedSpans.add({ ...before, toMs: this.#nowMs() });
    }
    return spans;
  }
}

/** Live jobs may be old, so they are looked for among all; newest first. */
async function listJobs(store: WatchedStore): Promise<Job[]> {
  const newest = await store.list({ limit: JOBS_MAX });
  if (newest.length < JOBS_MAX) return newest;
  const ids = new Set(newest.map(({ id }) => id));
  const live = [
    ...(await store.list({ status: "running", limit: JOBS_MAX })),
    ...(await store.list({ status: "queued", limit: JOBS_MAX })),
  ];
  return [...newest, ...live.filter(({ id }) => !ids.has(id))];
}

/** What a target's row tells of its last attempt, in wall time. */
function phaseOf({ index, status, attempts, startedAtMs, finishedAtMs, retryAtMs }: TargetTimes): Phase[] {
  const isOver = status === "done" || status === "failed";
  const isKnown = isOver ? typeof finishedAtMs === "number" : status === "running" || typeof retryAtMs === "number";
  if (typeof startedAtMs !== "number" || !isKnown) return [];
  const phase = status === "pending" ? "waiting" : "fetching";
  return [
    { index, attempt: attempts, phase, fromMs: startedAtMs, ...(isOver ? { toMs: finishedAtMs as number } : {}) },
  ];
}
