import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { onTestFinished, vi } from "vitest";
import { type BatchStore, openSqliteStore } from "../../src/index.js";
import type { AdmissionRequest, TargetOutcome } from "../../src/store/batch-store.js";

/** Every behaviour of the store is held on a real file and in memory. */
export const PLACES = ["file", "memory"] as const;

/** A path of a file that does not exist yet, in a fresh folder that is removed when the test ends. */
export function freshPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "fairbatch-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "store.db");
}

/** Opens a store that is closed when the test ends, and hands back the very connection it runs on too. */
export async function openWithConnection(
  path: string,
  options?: { synchronous?: "normal" | "full" },
): Promise<{ store: BatchStore; connection: Database }> {
  const prepare = vi.spyOn(Sqlite.prototype, "prepare");
  try {
    const store = await openSqliteStore(path, options);
    onTestFinished(() => store.close());
    return { store, connection: prepare.mock.contexts.at(-1) as Database };
  } finally {
    prepare.mockRestore();
  }
}

/** A store of one connection and, for looking at the rows by hand, `raw`: another connection where there is a file, else its own. */
export async function openStore(place: (typeof PLACES)[number]): Promise<{ store: BatchStore; raw: Database }> {
  if (place === "memory") {
    const { store, connection } = await openWithConnection(":memory:");
    return { store, raw: connection };
  }
  const path = freshPath();
  const { store } = await openWithConnection(path);
  return { store, raw: openRaw(path) };
}

/** A plain better-sqlite3 connection, closed when the test ends. */
export function openRaw(path: string): Database {
  const raw = new Sqlite(path);
  onTestFinished(() => void raw.close());
  return raw;
}

type Limits = AdmissionRequest["limits"];

/** A submit of one target at second 1000, equal to no other, with caps that are far away. */
export function request(
  id: string,
  { limits, ...overrides }: Partial<Omit<AdmissionRequest, "limits">> & { limits?: Partial<Limits> } = {},
): AdmissionRequest {
  return {
    id,
    caller: "ann",
    callerClass: "",
    idempotencyKey: `key of ${id}`,
    targets: [{ url: `u:${id}`, options: "{}" }],
    nowSeconds: 1_000,
    ttlMs: 60_000,
    limits: { targetsPerJob: 1_000, jobsPerCaller: 1_000, jobsTotal: 1_000, ...limits },
    ...overrides,
  };
}

/** Targets `u:0`, `u:1`, … without options. */
export function targets(count: number): AdmissionRequest["targets"] {
  return Array.from({ length: count }, (_, index) => ({ url: `u:${index}`, options: "{}" }));
}

/** Admits a job of so many targets for ann. */
export async function admitJob(store: BatchStore, id: string, count = 1): Promise<void> {
  const admission = await store.admit(request(id, { targets: targets(count) }));
  if (admission.outcome !== "created") throw new Error(`not created but ${admission.outcome}`);
}

/** A target that ended well, with a result of `{"content":"ok"}`. */
export function done(index: number, overrides: Partial<TargetOutcome> = {}): TargetOutcome {
  return { index, status: "done", result: '{"content":"ok"}', error: "", hint: "", finishedAtMs: 2_000, ...overrides };
}

/** A target that failed. */
export function failure(index: number, overrides: Partial<TargetOutcome> = {}): TargetOutcome {
  return { index, status: "failed", result: null, error: "nope", hint: "", finishedAtMs: 2_000, ...overrides };
}

/** Admits a job of one target and ends it as done. */
export async function endedJob(store: BatchStore, id: string, leaseSeconds = 1_000): Promise<void> {
  await store.admit(request(id, { nowSeconds: leaseSeconds }));
  await store.settle({ jobId: id, outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: "done" });
}

/** Each job's status, in submit order. */
export function statuses(raw: Database): Record<string, string> {
  const rows = raw.prepare("select id, status from batch_job order by seq").all() as { id: string; status: string }[];
  return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
}

/** All rows of jobs and targets. */
export function allRows(raw: Database): { jobs: unknown[]; targets: unknown[] } {
  return {
    jobs: raw.prepare("select * from batch_job order by seq").all(),
    targets: raw.prepare("select * from batch_target order by job_id, idx").all(),
  };
}

/** The counts of live jobs and of bytes that the store keeps, asked for by calls that change nothing. */
export async function keptCounts(store: BatchStore, caller: string) {
  const inAll = await store.admit(request("none", { limits: { jobsTotal: 0 } }));
  const ofCaller = await store.admit(request("none", { caller, limits: { jobsPerCaller: 0 } }));
  const { bytes } = await store.settle({
    jobId: "none",
    outcomes: [],
    targetsDone: 0,
    targetsFailed: 0,
    end: undefined,
  });
  return {
    live: inAll.outcome === "refused" ? inAll.count : inAll,
    liveOfCaller: ofCaller.outcome === "refused" ? ofCaller.count : ofCaller,
    bytes,
  };
}

/** The same counts, summed over the rows. */
export function summedCounts(raw: Database, caller: string) {
  const live = "status in ('queued', 'running')";
  return raw
    .prepare(
      `select count(*) filter (where ${live}) as live, count(*) filter (where ${live} and caller = ?) as liveOfCaller,
       coalesce(sum(nbytes), 0) as bytes from batch_job`,
    )
    .get(caller);
}
