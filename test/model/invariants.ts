import type { StoredJob } from "./row-reader.js";
import { isLive } from "./rows.js";
import type { Runner, Settings } from "./world.js";

/** What can be seen of the real runner after a step. */
export interface Sight {
  rows: readonly StoredJob[];
  /** Fetches that were called and are awaited, by job. */
  inFlight: readonly string[];
  /** The fetches of this step. */
  fetches: readonly { jobId: string; index: number }[];
  /** All turns taken so far: the jobs of which a target was to be started. */
  turns: readonly string[];
  /** The hooks of this step. */
  told: readonly string[];
  /** Whether the store has ever refused, so that a job may have gone on from memory. */
  troubled: boolean;
}

/** What holds at every moment, whatever the model says; only which jobs are ready is taken from there. */
export class Invariants {
  #begun = 0;
  #ended = 0;
  #depth = 0;
  #turnsSeen = 0;
  #runner: Runner | undefined;
  readonly #endedRows = new Map<string, string>();
  /** For each job that took a turn: how many turns each job that was ready then, and has been since, took after it. */
  readonly #turnsAfter = new Map<string, { waited: boolean; counts: Map<string, number> }>();

  constructor(readonly settings: Settings) {}

  look(sight: Sight, runner: Runner | undefined): void {
    this.#lookAtRows(sight.rows);
    this.#lookAtFetches(sight);
    if (runner !== this.#runner) this.#forgetRunner(runner);
    this.#lookAtTurns(sight.turns, runner);
    this.#lookAtHooks(sight.told, runner);
  }

  /** Each job that a runner has, new or resumed, raises its depth once, and has exactly one terminal hook when it leaves. */
  #lookAtHooks(told: readonly string[], runner: Runner | undefined): void {
    for (const line of told) {
      const [hook, what] = line.split(" ");
      if (hook === "depth" && Number(what) > this.#depth) this.#begun++;
      if (hook === "depth") this.#depth = Number(what);
      // While a runner opens, it tells of jobs that it never had.
      if (hook === "job" && what !== "created" && what !== "reused" && runner?.phase !== "opening") this.#ended++;
    }
    must(this.#ended <= this.#begun - this.#depth, "a job has at most one terminal hook, once its slot is free");
  }

  #forgetRunner(next: Runner | undefined): void {
    this.#runner = next;
    this.#turnsAfter.clear();
    this.#begun = 0;
    this.#ended = 0;
    this.#depth = 0;
  }

  #lookAtRows(rows: readonly StoredJob[]): void {
    const { jobsPerCaller, jobsTotal } = this.settings;
    const live = rows.filter(isLive);
    must(live.length <= jobsTotal, "live jobs never exceed their cap");
    for (const { caller } of live) {
      must(live.filter((job) => job.caller === caller).length <= jobsPerCaller, "nor do those of a caller");
    }
    for (const { targets, done, failed, ...job } of rows) {
      const stored = targets.filter(({ status }) => status === "done" || status === "failed");
      must(done === stored.length, "targets_done counts the stored targets");
      must(
        failed === stored.filter(({ status }) => status === "failed").length,
        "targets_failed counts the failed ones",
      );
      if (!isLive(job)) this.#lookAtEnded({ ...job, done, failed, targets });
    }
  }

  /** Nothing terminal ever changes again, but a late target of a cancelled job. */
  #lookAtEnded({ lease: _, nbytes, ...job }: StoredJob): void {
    const isOver = ({ status }: { status: string }) => status === "done" || status === "failed";
    const lasting = job.status === "cancelled" ? { status: job.status } : { ...job, nbytes };
    const now = JSON.stringify(lasting);
    must((this.#endedRows.get(job.id) ?? now) === now, "nothing terminal ever changes again");
    this.#endedRows.set(job.id, now);
    for (const [index, target] of job.targets.entries()) {
      const key = `${job.id} ${index}`;
      const text = JSON.stringify(target);
      must((this.#endedRows.get(key) ?? text) === text, "no stored target of an ended job changes again");
      if (isOver(target)) this.#endedRows.set(key, text);
    }
  }

  #lookAtFetches({ rows, inFlight, fetches, troubled }: Sight): void {
    must(new Set(inFlight).size === inFlight.length, "a job never has two targets in flight");
    for (const { jobId, index } of fetches) {
      const before = rows.find(({ id }) => id === jobId)?.targets.slice(0, index) ?? [];
      const stored = before.every(({ status }) => status === "done" || status === "failed");
      must(stored || troubled, "a target never starts before the one before it is stored");
    }
  }

  /**
   * Between two turns of a job every other job that was ready throughout gets one: exactly one, where there is one worker
   * and the job itself did not wait meanwhile.
   */
  #lookAtTurns(turns: readonly string[], runner: Runner | undefined): void {
    const jobs = [...(runner?.jobs ?? [])];
    for (const turn of turns.slice(this.#turnsSeen)) {
      const own = this.#turnsAfter.get(turn);
      const most = this.settings.workers === 1 && own?.waited === false ? 1 : Number.POSITIVE_INFINITY;
      for (const count of own?.counts.values() ?? []) {
        must(count >= 1 && count <= most, "between two turns of a job each other gets its own");
      }
      for (const { counts } of this.#turnsAfter.values()) {
        if (counts.has(turn)) counts.set(turn, (counts.get(turn) ?? 0) + 1);
      }
      const others = jobs.filter(({ id, state }) => id !== turn && state === "ready");
      this.#turnsAfter.set(turn, { waited: false, counts: new Map(others.map(({ id }) => [id, 0])) });
    }
    this.#turnsSeen = turns.length;
    const able = new Set(jobs.filter(({ state }) => state === "ready" || state === "turn").map(({ id }) => id));
    for (const [id, own] of this.#turnsAfter) {
      if (!able.has(id)) own.waited = true;
      for (const other of own.counts.keys()) if (!able.has(other)) own.counts.delete(other);
    }
  }
}

function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`no longer holds: ${rule}`);
}
