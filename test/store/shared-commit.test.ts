import { expect, test } from "vitest";
import { createBatchRunner, openSqliteStore } from "../../src/index.js";
import { CommitCount } from "../support/commit-count.js";
import { settled } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { admitJob, done, openRaw } from "../support/stores.js";

const JOBS = 64;
const ids = Array.from({ length: JOBS }, (_, job) => `job ${job}`);

async function storeWithJobs() {
  const { store, path, raw } = await openStoreFile();
  for (const id of ids) await admitJob(store, id);
  await settled();
  const commits = new CommitCount(path);
  return { store, path, raw, commits };
}

const start = (jobId: string) => ({ jobId, index: 0, startedAtMs: 1, maxInterrupted: 3 });
const ended = (jobId: string) => ({
  jobId,
  outcomes: [done(0)],
  targetsDone: 1,
  targetsFailed: 0,
  end: "done" as const,
});

test("store: writes of many workers in one turn of the event loop share a transaction, but for the first two of a calm time", async () => {
  const { store, raw, commits } = await storeWithJobs();
  const before = commits.count();
  const starts = await Promise.all(ids.map((id) => store.start(start(id))));
  expect(commits.count() - before).toBe(3);
  await Promise.all(ids.map((id) => store.settle(ended(id))));
  expect(commits.count() - before).toBe(4);
  expect(starts.map(({ outcome }) => outcome)).toEqual(ids.map(() => "started"));
  expect(raw.prepare("select count(*) from batch_job where status = 'done'").pluck().get()).toBe(JOBS);
});

test("store: each is answered after its commit, and not before", async () => {
  const { store, raw } = await storeWithJobs();
  const running = raw.prepare("select status = 'running' from batch_target where job_id = ?").pluck();
  const seen = await Promise.all(ids.map((id) => store.start(start(id)).then(() => running.get(id))));
  expect(seen).toEqual(ids.map(() => 1));
});

test("store: one write that fails takes none of the others with it", async () => {
  const { store, raw, commits } = await storeWithJobs();
  raw.exec(
    "create trigger broken before update on batch_target when old.job_id = 'job 40' begin select raise(rollback, 'no'); end",
  );
  const before = commits.count();
  const starts = await Promise.allSettled(ids.map((id) => store.start(start(id))));
  expect(starts.flatMap(({ status }, job) => (status === "rejected" ? [ids[job]] : []))).toEqual(["job 40"]);
  expect(commits.count() - before).toBe(JOBS - 1);
  expect(raw.prepare("select count(*) from batch_target where status = 'running'").pluck().get()).toBe(JOBS - 1);
});

test("store: while another holds the lock, a turn of writes is refused as a whole, and blocks the event loop no longer for it", async () => {
  const { store, path } = await storeWithJobs();
  const other = openRaw(path);
  other.exec("begin immediate");
  const beganMs = performance.now();
  const starts = await Promise.allSettled(ids.map((id) => store.start(start(id))));
  const tookMs = performance.now() - beganMs;
  expect(new Set(starts.map((refused) => refused.status === "rejected" && refused.reason.code))).toEqual(
    new Set(["SQLITE_BUSY"]),
  );
  // 64 tries, of 20 ms each, would take 1.3 s.
  expect(tookMs).toBeLessThan(1_000);
  other.exec("commit");
  expect(await store.start(start("job 7"))).toMatchObject({ outcome: "started" });
});

test("store: closing makes the writes first that wait for the end of the turn", async () => {
  const { store, raw } = await storeWithJobs();
  const starts = ids.map((id) => store.start(start(id)));
  await store.close();
  expect((await Promise.all(starts)).map(({ outcome }) => outcome)).toEqual(ids.map(() => "started"));
  expect(raw.prepare("select count(*) from batch_target where status = 'running'").pluck().get()).toBe(JOBS);
});

test("store: of 64 workers whose fetches answer together, each is told of its target once that is stored", async () => {
  const { store, raw, commits } = await storeWithJobs();
  const answers: (() => void)[] = [];
  const stored = raw.prepare("select count(*) from batch_target where status = 'done'").pluck();
  const seen: unknown[] = [];
  const runner = await createBatchRunner({
    store,
    workers: JOBS,
    workersMax: JOBS,
    resume: ({ caller }) => ({ name: caller }),
    fetch: () => new Promise((resolve) => answers.push(() => resolve({ content: "" }))),
    hooks: { target: () => seen.push((stored.get() as number) > seen.length) },
  });
  await settled();
  expect(answers).toHaveLength(JOBS);
  const before = commits.count();
  for (const answer of answers) answer();
  await runner.idle();
  expect(seen).toEqual(ids.map(() => true));
  expect(commits.count() - before).toBe(1);
  await runner.close();
});

test("store: a lone worker's writes are each made at once", async () => {
  const { store, raw } = await storeWithJobs();
  const running = raw.prepare("select count(*) from batch_target where status = 'running'").pluck();
  const first = store.start(start("job 0"));
  expect(running.get()).toBe(1);
  const second = store.start(start("job 1"));
  expect(running.get()).toBe(2);
  await Promise.all([first, second]);
  const memory = await openSqliteStore(":memory:");
  await admitJob(memory, "a");
  expect(await memory.start(start("a"))).toMatchObject({ outcome: "started" });
  await memory.close();
});
