/** What the store must hold: R1.2 to R1.4, the writes of R3 to R6, sweep and eviction, each one call and so one transaction. */
export type Status = "queued" | "running" | "done" | "partial" | "failed" | "cancelled";

export interface TargetRow {
  url: string;
  /** As JSON. */
  options: string;
  status: "pending" | "running" | "done" | "failed";
  attempts: number;
  startedAtMs: number | null;
  finishedAtMs: number | null;
  error: string;
  hint: string;
  result: string | null;
  /** When it is due again, and since when it has been asking for that; in wall time. */
  retryAtMs: number | null;
  retrySinceMs: number | null;
  interruptions: number;
}

export interface JobRow {
  id: string;
  caller: string;
  callerClass: string;
  /** What of a batch makes it equal to another of its caller. */
  subject: string;
  status: Status;
  error: string;
  done: number;
  failed: number;
  createdAt: number;
  lease: number;
  nbytes: number;
  targets: TargetRow[];
}

export interface Caps {
  ttlMs: number;
  targetsPerJob: number;
  jobsPerCaller: number;
  jobsTotal: number;
}

export interface Admit {
  id: string;
  caller: string;
  callerClass: string;
  subject: string;
  targets: readonly { url: string; options: string }[];
  nowSeconds: number;
}

export type Admitted = { created: string } | { reused: string } | { code: string; limit: number; count: number };

export interface Start {
  jobId: string;
  index: number;
  startedAtMs: number;
  maxInterrupted: number;
}

export type StartAnswer = Started | "gone" | "interrupted";

export interface Started {
  url: string;
  options: string;
  attempt: number;
}

export interface Defer {
  jobId: string;
  index: number;
  retryAtMs: number | null;
  retrySinceMs: number | null;
  unfetched: boolean;
}

export interface Outcome {
  index: number;
  status: "done" | "failed";
  result: string | null;
  error: string;
  hint: string;
  finishedAtMs: number;
}

export interface Settle {
  jobId: string;
  outcomes: Outcome[];
  targetsDone: number;
  targetsFailed: number;
  end: Status | undefined;
}

export interface Settlement {
  live: boolean;
  bytes: number;
  /** The answer to the start that came along; none where that one failed. */
  started?: StartAnswer;
}

export const isLive = ({ status }: Pick<JobRow, "status">) => status === "queued" || status === "running";
const utf8 = (text: string | null) => (text === null ? 0 : Buffer.byteLength(text));

export class Rows {
  /** In submit order. */
  jobs: JobRow[] = [];

  find(id: string): JobRow | undefined {
    return this.jobs.find((job) => job.id === id);
  }

  get bytes(): number {
    return this.jobs.reduce((sum, { nbytes }) => sum + nbytes, 0);
  }

  admit({ id, caller, callerClass, subject, targets, nowSeconds }: Admit, caps: Caps): Admitted {
    // R1.2: the newest equal job that is live or ended well, while its lease is within the TTL.
    const equal = this.jobs.findLast(
      (job) =>
        job.caller === caller &&
        job.subject === subject &&
        job.status !== "failed" &&
        job.status !== "cancelled" &&
        (nowSeconds - job.lease) * 1000 <= caps.ttlMs,
    );
    if (equal !== undefined) return { reused: equal.id };
    // R1.3: the caps, in this order.
    const live = this.jobs.filter(isLive);
    const ofCaller = live.filter((job) => job.caller === caller).length;
    const caps3 = [
      { code: "ERR_TOO_MANY_TARGETS", limit: caps.targetsPerJob, count: targets.length, over: targets.length - 1 },
      { code: "ERR_CALLER_BUSY", limit: caps.jobsPerCaller, count: ofCaller, over: ofCaller },
      { code: "ERR_BUSY", limit: caps.jobsTotal, count: live.length, over: live.length },
    ];
    for (const { code, limit, count, over } of caps3) if (over >= limit) return { code, limit, count };
    // R1.4: queued, with its targets pending.
    this.jobs.push({
      ...{ id, caller, callerClass, subject, status: "queued", error: "", done: 0, failed: 0 },
      ...{ createdAt: nowSeconds, lease: nowSeconds },
      nbytes: targets.reduce((sum, { url, options }) => sum + utf8(url) + utf8(options), 0),
      targets: targets.map(({ url, options }) => ({
        ...{ url, options, status: "pending", attempts: 0, startedAtMs: null, finishedAtMs: null },
        ...{ error: "", hint: "", result: null, retryAtMs: null, retrySinceMs: null, interruptions: 0 },
      })),
    });
    return { created: id };
  }

  withdraw(id: string): void {
    this.jobs = this.jobs.filter((job) => job.id !== id);
  }

  /** R2: the first target sets a queued job running. R5: none starts in a job that is no longer live. */
  start({ jobId: id, index, startedAtMs, maxInterrupted }: Start): StartAnswer {
    const job = this.find(id);
    const target = job?.targets[index];
    if (job === undefined || target === undefined || !isLive(job)) return "gone";
    job.status = "running";
    if (target.interruptions >= maxInterrupted) return "interrupted";
    Object.assign(target, { status: "running", startedAtMs, attempts: target.attempts + 1 });
    return { url: target.url, options: target.options, attempt: target.attempts };
  }

  /** One transaction, in which the next target is started as well. */
  settle(request: Settle, next: Start | undefined): Settlement {
    const settled = this.#settleOne(request);
    return next === undefined ? settled : { ...settled, started: this.start(next) };
  }

  /** R4: the last target and the job's end are one transaction. R5: storing never overwrites `cancelled`. */
  #settleOne({ jobId, outcomes, targetsDone, targetsFailed, end }: Settle): Settlement {
    const job = this.find(jobId);
    if (job === undefined) return { live: false, bytes: this.bytes };
    for (const { index, ...outcome } of outcomes) {
      Object.assign(job.targets[index] as TargetRow, outcome);
      job.nbytes += utf8(outcome.result) + utf8(outcome.error) + utf8(outcome.hint);
    }
    job.done = targetsDone;
    job.failed = targetsFailed;
    const live = isLive(job);
    if (live) job.status = end ?? "running";
    return { live, bytes: this.bytes };
  }

  /**
   * R3: a target that is to be tried later is pending; false when its job is no longer live (R5). An attempt that never came
   * to its fetch does not count.
   */
  defer({ jobId, index, retryAtMs, retrySinceMs, unfetched }: Defer): boolean {
    const job = this.find(jobId);
    const target = job?.targets[index];
    if (target?.status === "running") {
      const attempts = target.attempts - (unfetched ? 1 : 0);
      Object.assign(target, { status: "pending", attempts, retryAtMs, retrySinceMs });
    }
    return job !== undefined && isLive(job);
  }

  /** R5. */
  cancel(id: string): boolean {
    const job = this.find(id);
    if (job === undefined || !isLive(job)) return false;
    job.status = "cancelled";
    return true;
  }

  /** R6. */
  touch(id: string, lease: number): void {
    const job = this.find(id);
    if (job !== undefined) job.lease = lease;
  }

  /** Terminal jobs whose lease is older; resolves to how many. */
  sweep(oldestLease: number): number {
    const before = this.jobs.length;
    this.jobs = this.jobs.filter((job) => isLive(job) || job.lease >= oldestLease);
    return before - this.jobs.length;
  }

  /** Terminal jobs, oldest lease first, until the bytes fit. */
  evict(maxBytes: number): number {
    const oldestFirst = this.jobs.filter((job) => !isLive(job)).sort((a, b) => a.lease - b.lease);
    let evicted = 0;
    while (this.bytes > maxBytes && evicted < oldestFirst.length) this.withdraw(oldestFirst[evicted++]?.id ?? "");
    return evicted;
  }

  /** What closing cuts off was not interrupted, though the next runner finds it running. Returns how many targets that is. */
  leave(): number {
    const running = this.jobs
      .filter(isLive)
      .flatMap(({ targets }) => targets.filter(({ status }) => status === "running"));
    for (const target of running) target.interruptions--;
    return running.length;
  }

  /** Section 2: what a dead runner left. Targets under way are pending again; live jobs that nobody resumes have failed. */
  recover(resume: readonly string[]): { resumed: JobRow[]; interrupted: string[] } {
    for (const target of this.jobs.flatMap(({ targets }) => targets)) {
      if (target.status !== "running") continue;
      Object.assign(target, { status: "pending", retryAtMs: null, interruptions: target.interruptions + 1 });
    }
    const left = this.jobs.filter(isLive);
    const interrupted = left.filter(({ id }) => !resume.includes(id));
    for (const job of interrupted) Object.assign(job, { status: "failed", error: "interrupted" });
    return {
      resumed: structuredClone(left.filter(({ id }) => resume.includes(id))),
      interrupted: interrupted.map(({ id }) => id),
    };
  }
}
