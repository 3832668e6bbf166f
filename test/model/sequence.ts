import type { Database } from "better-sqlite3";
import type { BatchStore } from "../../src/index.js";
import { ANSWERS, type AnswerName } from "./answers.js";
import { cancel, submit, touch } from "./asking.js";
import { BATCHES, type SampleBatch } from "./batches.js";
import { Comparison } from "./comparison.js";
import { Invariants } from "./invariants.js";
import { answer } from "./life.js";
import type { Command, Move } from "./moves.js";
import { close, goOnClosing, open } from "./opening-and-closing.js";
import { Refusals } from "./refusals.js";
import type { RowReader } from "./row-reader.js";
import { isLive, Rows } from "./rows.js";
import { RunnerUnderTest } from "./runner-under-test.js";
import type { Call, Op, Runner, Settings, Verdict, World } from "./world.js";

const START = { wallMs: 1_700_000_000_400, monoMs: 5_000 };

function wordsOf(verdict: Verdict, halfway: boolean): string {
  if (verdict === "refused") return "refuses";
  const how = halfway ? "commits" : "commits and answers";
  return verdict === "taken" ? how : `${how}, all but the start,`;
}

/** One run of a sequence of moves, on the real runner and on the model side by side, compared after each step. */
export class Sequence {
  readonly world: World;
  readonly real: RunnerUnderTest;
  /** What was done so far, in words. */
  readonly trace: string[] = [];
  runner: Runner | undefined;
  steps = 0;
  #commands = 0;
  readonly #comparison: Comparison;
  readonly #refusals = new Refusals();
  readonly #answered = new Set<Call>();

  constructor(store: BatchStore, raw: Database, rows: RowReader, settings: Settings, note: (kind: string) => void) {
    this.real = new RunnerUnderTest(store, raw, rows, settings, START);
    this.world = {
      ...{ settings, rows: new Rows(), ...START, timers: [], ops: [], told: [], calls: [], replies: new Map() },
      ...{ jobsNamed: 0, note },
    };
    this.#comparison = new Comparison(this.world, this.real, new Invariants(settings));
  }

  /** Does a move on both; false where it does not fit the moment. */
  async do(move: Move): Promise<boolean> {
    switch (move.do) {
      case "pick":
        return this.#pick(move.which, move.halfway);
      case "pass":
        return this.#pass(move.ms);
      case "die":
        return this.#die();
      case "open":
        return this.#open(move.resumes);
      case "answer":
        return this.#answer(move);
      case "refuse":
        this.#refusals.begin(move.method, move.times);
        return true;
      case "mend":
        this.#refusals.end();
        return true;
      case "set wall clock":
        return this.#setWallClock(move.ms);
      case "cancel elsewhere":
      case "lose":
        return this.#past(move.do, move.job);
      default:
        return this.#command(move);
    }
  }

  /** Lets every pending call of the store happen, the oldest first, until there is none. */
  async rest(): Promise<void> {
    for (let picks = 0; this.world.ops.length > 0; picks++) {
      if (picks > 1_000) throw new Error("the store is never left in peace");
      await this.#pick(0, false);
    }
  }

  /** Answers all that is open, lets all time pass, and closes. */
  async finish(): Promise<void> {
    this.#refusals.end();
    for (let rounds = 0; this.#isBusy(); rounds++) {
      if (rounds > 500) throw new Error("the runner never comes to rest");
      await this.rest();
      const call = this.#awaited();
      if (call !== undefined) await this.#give(call, "ok");
      else if (this.world.timers.length > 0)
        await this.#pass(Math.max(0, Math.min(...this.#dues()) - this.world.monoMs));
    }
    if (this.runner?.phase === "open") {
      const live = this.world.rows.jobs.filter(isLive);
      if (live.length > 0) throw new Error(`never ended: ${live.map(({ id }) => id)}`);
      await this.#command({ do: "close", drain: false, limitMs: 0 });
      await this.rest();
    }
    await this.#comparison.lookAtReads();
    if (this.real.clock.dues.length > 0) throw new Error("a timer is left");
  }

  #isBusy(): boolean {
    const { ops, timers } = this.world;
    return ops.length > 0 || timers.length > 0 || this.#awaited() !== undefined;
  }

  /** A fetch that the runner waits for. */
  #awaited(): Call | undefined {
    const { runner } = this;
    if (runner === undefined || runner.phase === "closed") return undefined;
    return this.world.calls.find((call) => call.open && call.runner === runner);
  }

  #dues(): number[] {
    return this.world.timers.map(({ dueMs }) => dueMs);
  }

  async #step(words: string): Promise<true> {
    this.trace.push(words);
    this.steps++;
    await this.real.settle();
    for (const runner of new Set([this.runner, ...this.world.ops.map((op) => op.runner)]))
      if (runner) goOnClosing(runner);
    await this.#comparison.look(this.runner);
    return true;
  }

  async #pick(which: number, halfway: boolean): Promise<boolean> {
    const { pending } = this.real.held;
    if (pending.length === 0) return false;
    const held = pending[which % pending.length] as (typeof pending)[number];
    // Of several that are the same, the one that was asked as early.
    const asEarly = pending.filter(({ what }) => what === held.what).indexOf(held);
    const op = this.world.ops.filter(({ what }) => what === held.what)[asEarly] as Op;
    let words = `the store answers ${held.what}`;
    if (!held.committed) {
      const verdict = this.#refusals.meets(op);
      words = `the store ${wordsOf(verdict, halfway)} ${held.what}`;
      op.commit(verdict);
      await held.commit(verdict);
      if (halfway) return this.#step(words);
    }
    op.answer();
    held.answer();
    return this.#step(words);
  }

  /** Time goes on from timer to timer. */
  async #pass(ms: number): Promise<boolean> {
    const untilMs = this.world.monoMs + ms;
    for (let timers = 0; ; timers++) {
      const dueMs = Math.min(...this.#dues());
      if (dueMs > untilMs) break;
      if (timers > 1_000) throw new Error("a storm of timers");
      this.#advanceTo(Math.max(dueMs, this.world.monoMs));
      this.world.timers.find((timer) => timer.dueMs === dueMs)?.fire();
      this.real.clock.fireFirst();
      await this.#step(`a timer fires at ${this.world.monoMs}`);
    }
    this.#advanceTo(untilMs);
    return this.#step(`${ms} ms pass, to ${untilMs}`);
  }

  #advanceTo(monoMs: number): void {
    const ms = monoMs - this.world.monoMs;
    for (const time of [this.world, this.real.clock]) {
      time.monoMs += ms;
      time.wallMs += ms;
    }
  }

  #setWallClock(ms: number): Promise<true> {
    for (const time of [this.world, this.real.clock]) time.wallMs += ms;
    return this.#step(`the wall clock steps by ${ms} ms`);
  }

  async #answer({ call, how }: { call: number; how: AnswerName }): Promise<boolean> {
    const unanswered = this.world.calls.filter((each) => !this.#answered.has(each));
    const chosen = unanswered[call % unanswered.length];
    if (chosen === undefined) return false;
    return this.#give(chosen, how);
  }

  #give(call: Call, how: AnswerName): Promise<true> {
    this.#answered.add(call);
    this.world.note(`fetch: ${how}`);
    answer(call, ANSWERS[how].meaning);
    this.real.answer(this.world.calls.indexOf(call), how);
    return this.#step(`fetch ${call.job.id}[${call.index}] answers: ${how}`);
  }

  async #die(): Promise<boolean> {
    if (this.runner === undefined || this.runner.phase === "closed") return false;
    const { world } = this;
    world.note("died");
    // What it fetched is answered to nobody, and asks nothing of the store any more.
    for (const call of world.calls) if (call.runner === this.runner) this.#answered.add(call);
    world.ops.splice(0, world.ops.length, ...world.ops.filter(({ runner }) => runner !== this.runner));
    world.timers = [];
    this.runner = undefined;
    await this.real.die();
    return this.#step("the runner dies");
  }

  async #open(resumes: readonly string[] | undefined): Promise<boolean> {
    if (this.runner !== undefined && this.runner.phase !== "closed") return false;
    const number = ++this.#commands;
    this.world.note("open");
    this.runner = open(this.world, number, resumes);
    this.real.open(number, resumes);
    return this.#step(`${number}: open${resumes === undefined ? "" : `, resuming ${resumes}`}`);
  }

  /** Somebody cancels a job, or deletes its rows, past the runner. */
  async #past(what: "cancel elsewhere" | "lose", which: number): Promise<boolean> {
    const job = this.#job(which);
    const { rows, note } = this.world;
    const id = this.real.idOf(job);
    if (rows.find(job) === undefined) return false;
    note(what);
    if (what === "lose") {
      rows.withdraw(job);
      this.real.raw.prepare("delete from batch_job where id = ?").run(id);
    } else {
      rows.cancel(job);
      await this.real.held.real.cancel(id);
    }
    return this.#step(`${what} ${job}`);
  }

  async #command(move: Command): Promise<boolean> {
    const { runner, real } = this;
    if (runner === undefined || runner.phase === "opening" || real.runner === undefined) return false;
    const number = ++this.#commands;
    this.world.note(move.do);
    if (move.do === "submit") {
      const batch = BATCHES[move.batch] as SampleBatch;
      submit(runner, number, move.caller, batch, move.aborted);
      real.submit(number, move.caller, batch, move.aborted);
      return this.#step(`${number}: submit ${move.batch} for ${move.caller}${move.aborted ? ", aborted" : ""}`);
    }
    if (move.do === "close") {
      close(runner, number, move);
      real.close(number, move.drain, move.limitMs);
      return this.#step(
        `${number}: close${move.drain ? " drain" : ""}${move.limitMs > 0 ? ` within ${move.limitMs}` : ""}`,
      );
    }
    const job = this.#job(move.job);
    if (move.do === "cancel") {
      cancel(runner, number, job);
      real.cancel(number, job);
    } else {
      touch(runner, number, job);
      real.touch(number, job);
    }
    return this.#step(`${number}: ${move.do} ${job}`);
  }

  /** A live job mostly, the newest first; else one asked for lately, or one that nobody ever made. */
  #job(which: number): string {
    const { rows, jobsNamed } = this.world;
    const live = rows.jobs.filter(isLive).map(({ id }) => id);
    const jobs = [...live.reverse(), `#${jobsNamed}`, `#${jobsNamed - 1}`, "nobody's"];
    return jobs[which % jobs.length] as string;
  }
}
