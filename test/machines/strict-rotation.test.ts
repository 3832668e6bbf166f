import { expect, test } from "vitest";
import { startSystem } from "../support/actor-system.js";
import { isLongRun } from "../support/long-run.js";
import { seededRandom } from "../support/seeded-random.js";

interface Job {
  left: number;
  is: "ready" | "taken" | "waiting" | "over";
  dueMs: number;
  cancelled: boolean;
}

/** R2, read off the page: jobs in submit order, searched from the start each time, and the workers that have no turn. */
class StrictRotation {
  readonly jobs: Job[] = [];
  readonly given: string[] = [];
  nowMs = 0;
  /** What others are storing, and that nobody has taken again. */
  readonly #storing = new Set<Job>();
  #idle: number;
  #last = -1;

  constructor(workers: number) {
    this.#idle = workers;
  }

  submit(targets: number): void {
    this.jobs.push({ left: targets, is: "ready", dueMs: 0, cancelled: false });
    this.#pair();
  }

  /**
   * The place of the job that the worker goes on with, given as it asks. The jobs that are being stored stand in their places,
   * if they go on; where another worker's is next, it has to be waited for.
   */
  ask(place: number): number | undefined {
    const own = this.jobs[place]!;
    const hasMore = own.left > 1 && !own.cancelled;
    const next = this.#next((job) => job.is === "ready" || (job === own && hasMore) || this.#storing.has(job));
    const given = next !== undefined && this.#storing.has(this.jobs[next]!) ? undefined : this.#give(next);
    if (hasMore && given !== place) this.#storing.add(own);
    return given;
  }

  stored(place: number, next: number | undefined): void {
    const job = this.jobs[place]!;
    job.left--;
    this.#storing.delete(job);
    if (job.left === 0) job.is = "over";
    else if (next !== place) this.#free(job);
    this.#idle += next === undefined ? 1 : 0;
    this.#pair();
    // What was to go on and was cancelled meanwhile has its next target put back, or refused.
    if (next === undefined || !this.jobs[next]!.cancelled) return;
    this.jobs[next]!.is = "over";
    this.#idle++;
    this.#pair();
  }

  later(place: number): void {
    const job = this.jobs[place]!;
    Object.assign(job, job.cancelled ? { is: "over" } : { is: "waiting", dueMs: this.nowMs + 500 });
    this.#idle++;
    this.#pair();
  }

  cancel(place: number): void {
    const job = this.jobs[place]!;
    job.cancelled = true;
    this.#storing.delete(job);
    if (job.is !== "taken") job.is = "over";
  }

  advance(ms: number): void {
    this.nowMs += ms;
    const due = this.jobs.filter(({ is, dueMs }) => is === "waiting" && dueMs <= this.nowMs);
    // One due at the same moment as another is told of it in the order in which their waits began.
    for (const job of due.sort((a, b) => a.dueMs - b.dueMs)) {
      job.is = "ready";
      this.#pair();
    }
  }

  #free(job: Job): void {
    job.is = job.cancelled ? "over" : "ready";
  }

  #pair(): void {
    while (this.#idle > 0 && this.#give(this.#next(({ is }) => is === "ready")) !== undefined) this.#idle--;
  }

  #next(isDue: (job: Job) => boolean): number | undefined {
    const inOrder = this.jobs.flatMap((job, place) => (isDue(job) ? [place] : []));
    return inOrder.find((other) => other > this.#last) ?? inOrder[0];
  }

  #give(place: number | undefined): number | undefined {
    if (place === undefined) return undefined;
    this.jobs[place]!.is = "taken";
    this.#last = place;
    this.given.push(`j${place}`);
    return place;
  }
}

interface Storing {
  place: number;
  next: number | undefined;
  finish(): void;
}

type Counts = Record<"turns" | "another job's" | "its own job's" | "none" | "cancelled meanwhile", number>;

/** Random submits, answers, late stores, cancels and waits, done to the actors and to the rule alike. */
function run(seed: number, workers: number, steps: number, counts: Counts): void {
  const random = seededRandom(seed);
  const { clock, turns, given, submit, cancel } = startSystem(workers);
  const rule = new StrictRotation(workers);
  const actors: ReturnType<typeof submit>[] = [];
  const storing: Storing[] = [];
  for (let step = 0; step < steps; step++) {
    const choice = random(20);
    const turn = turns[random(turns.length)];
    if (choice < 3) {
      const targets = 1 + random(6);
      rule.submit(targets);
      actors.push(submit(`j${actors.length}`, targets));
    } else if (choice < 10 && turn !== undefined) {
      const place = Number(turn.id.slice(1));
      const finish = turn.answer(random(2) === 0 ? "ok" : "failed");
      const next = rule.ask(place);
      counts[next === undefined ? "none" : next === place ? "its own job's" : "another job's"]++;
      storing.push({ place, next, finish });
    } else if (choice < 16 && storing.length > 0) {
      const [{ place, next, finish }] = storing.splice(random(storing.length), 1) as [Storing];
      if (next !== undefined && rule.jobs[next]!.cancelled) counts["cancelled meanwhile"]++;
      rule.stored(place, next);
      finish();
    } else if (choice < 18 && turn !== undefined) {
      // Waits that end at different moments: of two that end at once the order is no matter of the rule.
      clock.increment(1);
      rule.advance(1);
      const [still] = turns.filter(({ id }) => id === turn.id);
      rule.later(Number(turn.id.slice(1)));
      still?.settle("later");
    } else if (choice < 19) {
      clock.increment(100);
      rule.advance(100);
    } else {
      const place = rule.jobs.findLastIndex(({ is, cancelled }) => is !== "over" && !cancelled && random(3) === 0);
      const actor = actors[place];
      if (actor === undefined) continue;
      rule.cancel(place);
      cancel(`j${place}`, actor);
    }
    expect(given, `seed ${seed}, ${workers} workers, step ${step}`).toEqual(rule.given);
    counts.turns += given.length;
    given.length = 0;
    rule.given.length = 0;
  }
}

const SEEDS = isLongRun ? 200 : 3;
const STEPS = 600;

test.each([1, 2, 3, 4, 5, 8, 13])(
  "R2: with %i workers each turn that the scheduler gives is the strict rotation's, a worker that stores being asked for as it does",
  (workers) => {
    const counts: Counts = { turns: 0, "another job's": 0, "its own job's": 0, none: 0, "cancelled meanwhile": 0 };
    for (let seed = 1; seed <= SEEDS; seed++) run(seed, workers, STEPS, counts);
    console.info(`${workers} workers: ${JSON.stringify(counts)}`);
    // One worker with many jobs seldom comes back to its own, many workers seldom find another job ready.
    const seldom = Math.min(counts["its own job's"], counts["another job's"], counts["cancelled meanwhile"]);
    expect(seldom).toBeGreaterThan(0);
    expect(counts.turns).toBeGreaterThan(STEPS / 10);
  },
  isLongRun ? 600_000 : 60_000,
);
