import type { Database } from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { BatchStore } from "../../src/index.js";
import { type SeededRandom, seededRandom } from "../support/seeded-random.js";
import {
  admitJob,
  done,
  failure,
  keptCounts,
  openStore,
  PLACES,
  request,
  statuses,
  summedCounts,
} from "../support/stores.js";

const CALLERS = ["ann", "__proto__", "a\0b"] as const;
const STATUSES = ["queued", "running", "done", "partial", "failed", "cancelled"] as const;
const STEPS = 300;

/** Random calls of the store and random changes by hand. */
class Shuffle {
  readonly #below: SeededRandom;
  #jobs = 0;

  constructor(
    readonly store: BatchStore,
    readonly raw: Database,
    seed: number,
  ) {
    this.#below = seededRandom(seed);
  }

  #oneOf<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }

  /** Does one of them; resolves to what it was. */
  async step(): Promise<string> {
    const ids = Object.keys(statuses(this.raw));
    const id = ids.length > 0 ? this.#oneOf(ids) : "none";
    const now = 1_000 + this.#below(100);
    const calls: [name: string, call: () => unknown][] = [
      ...Array(4).fill(["admit", () => this.#admit(now)]),
      ...Array(4).fill([
        "start",
        () => this.store.start({ jobId: id, index: this.#below(3), startedAtMs: now, maxInterrupted: 3 }),
      ]),
      ...Array(6).fill(["settle", () => this.#settle(id)]),
      ["cancel", () => this.store.cancel(id)],
      ["defer", () => this.store.defer({ jobId: id, index: this.#below(3), retryAtMs: null, retrySinceMs: null })],
      ["touch", () => this.store.touch(id, now)],
      ["withdraw", () => this.store.withdraw(id)],
      ["recover", () => this.#below(5) === 0 && this.store.recover(new Set([id]))],
      ["sweep", () => this.store.sweep(1_000 + this.#below(20))],
      ["evict", () => this.#evict(this.#below(1_000))],
      ["delete-by-hand", () => this.raw.prepare("delete from batch_job where id = ?").run(id)],
      ["delete-many-by-hand", () => this.#below(10) === 0 && this.raw.exec("delete from batch_job where seq % 3 = 0")],
      ["status-by-hand", () => this.#byHand("status", this.#oneOf(STATUSES), id)],
      ["nbytes-by-hand", () => this.#byHand("nbytes", this.#below(500), id)],
    ];
    const [name, call] = this.#oneOf(calls);
    await call();
    return `${name} ${id}`;
  }

  #admit(nowSeconds: number) {
    const targets = Array.from({ length: 1 + this.#below(3) }, () => ({
      url: "u".repeat(this.#below(50)),
      options: "{}",
    }));
    const caller = this.#oneOf(CALLERS);
    const limits = { jobsTotal: 10, jobsPerCaller: 5 };
    return this.store.admit(request(`job ${this.#jobs++}`, { caller, targets, nowSeconds, limits }));
  }

  async #settle(id: string) {
    const job = await this.store.findJob(id);
    if (job === undefined || job.targetsDone === job.targetsTotal) return;
    const index = job.targetsDone;
    const failed = this.#below(2) === 0;
    const last = index + 1 === job.targetsTotal;
    await this.store.settle({
      jobId: id,
      outcomes: [
        failed ? failure(index, { hint: "hü" }) : done(index, { result: `{"c":"${"é".repeat(this.#below(60))}"}` }),
      ],
      targetsDone: index + 1,
      targetsFailed: job.targetsFailed + (failed ? 1 : 0),
      end: last ? "partial" : undefined,
    });
  }

  async #evict(maxBytes: number) {
    await this.store.evict(maxBytes);
    const { bytes } = await keptCounts(this.store, "ann");
    const terminal = Object.values(statuses(this.raw)).filter((status) => status !== "queued" && status !== "running");
    expect(bytes <= maxBytes || terminal.length === 0).toBe(true);
  }

  #byHand(column: string, value: string | number, id: string) {
    this.raw.prepare(`update batch_job set ${column} = ? where id = ?`).run(value, id);
  }
}

describe.each(PLACES)("in %s", (place) => {
  test.each([1, 2, 3])(
    "design 4, eviction: the totals that are kept equal the sums over the rows after any sequence, seed %i",
    async (seed) => {
      const { store, raw } = await openStore(place);
      const shuffle = new Shuffle(store, raw, seed);
      const steps: string[] = [];
      for (let count = 0; count < STEPS; count++) {
        steps.push(await shuffle.step());
        for (const caller of CALLERS) {
          const kept = await keptCounts(store, caller);
          expect({ caller, kept, after: steps.slice(-3) }).toEqual({
            caller,
            kept: summedCounts(raw, caller),
            after: steps.slice(-3),
          });
        }
      }
      expect([...new Set(steps.map((step) => step.split(" ")[0]))]).toHaveLength(14);
    },
  );

  test("design 4: a job cancelled or deleted by hand frees its slot and its bytes", async () => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "cancelled");
    await admitJob(store, "deleted", 2);
    raw.exec("update batch_job set status = 'cancelled' where id = 'cancelled'");
    expect(await keptCounts(store, "ann")).toEqual({ ...(summedCounts(raw, "ann") as object), live: 1 });
    raw.exec("delete from batch_job where id = 'deleted'");
    expect(await keptCounts(store, "ann")).toEqual({ live: 0, liveOfCaller: 0, bytes: summedBytes(raw) });
    expect(raw.prepare("select distinct job_id from batch_target").pluck().all()).toEqual(["cancelled"]);
  });

  test("design 4: a live job given to another caller by hand counts for that caller", async () => {
    const { store, raw } = await openStore(place);
    await admitJob(store, "a");
    raw.exec("update batch_job set caller = 'bob' where id = 'a'");
    expect(await keptCounts(store, "ann")).toMatchObject({ live: 1, liveOfCaller: 0 });
    expect(await keptCounts(store, "bob")).toMatchObject({ live: 1, liveOfCaller: 1 });
    await store.cancel("a");
    expect(await keptCounts(store, "bob")).toMatchObject({ live: 0, liveOfCaller: 0 });
  });
});

function summedBytes(raw: Database): unknown {
  return raw.prepare("select sum(nbytes) from batch_job").pluck().get();
}
