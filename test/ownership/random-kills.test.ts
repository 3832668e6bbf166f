import { expect, test } from "vitest";
import { openSqliteStore } from "../../src/index.js";
import { OwnerProcess } from "../support/owner-process.js";
import { freshPath, keptCounts, openRaw, summedCounts } from "../support/stores.js";

const KILLS = 10;

/** Lets an owner run jobs until it has told of so many stored targets, and kills it there; resolves to all that it told of. */
async function killAfter(path: string, count: number): Promise<string[]> {
  const owner = await OwnerProcess.start(path, "free");
  const stored: string[] = [];
  owner.stdout.on("line", (line) => {
    stored.push(line);
    if (stored.length === count) owner.signal("SIGKILL");
  });
  owner.tell({ command: "run" });
  expect(await owner.ended).toBe("SIGKILL");
  return stored;
}

test("section 2, R3: after ten kills at random moments the file is sound and holds every target that was told of", {
  timeout: 120_000,
}, async () => {
  const path = freshPath();
  const told: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const stored = await killAfter(path, 1 + Math.floor(Math.random() * 200));
    told.push(...stored);
    const raw = openRaw(path);
    expect(raw.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(raw.pragma("foreign_key_check")).toEqual([]);
    const rows = raw.prepare("select job_id, idx from batch_target where status in ('done', 'failed')").raw().all();
    const inFile = new Set((rows as [string, number][]).map(([id, index]) => `stored ${id} ${index}`));
    expect(told.filter((line) => !inFile.has(line))).toEqual([]);
  }
  expect(new Set(told).size).toBe(told.length);
  expect(told.length).toBeGreaterThanOrEqual(KILLS);

  const store = await openSqliteStore(path);
  const raw = openRaw(path);
  const giveBack = await store.own();
  await store.recover(new Set());
  for (const caller of ["ann", "bob", "cat"])
    expect(await keptCounts(store, caller)).toEqual(summedCounts(raw, caller));
  // Each job's counts are what its rows say, whenever it was that its owner died.
  const wrong = raw.prepare(`select id, status, targets_done from batch_job where targets_done <>
    (select count(*) from batch_target where job_id = id and batch_target.status in ('done', 'failed'))
    or (targets_done = targets_total) <> (batch_job.status = 'done')
    or batch_job.status not in ('done', 'failed')`);
  expect(wrong.all()).toEqual([]);
  expect(raw.prepare("select count(*) from batch_target where status = 'running'").pluck().get()).toBe(0);
  await giveBack();
  await store.close();
});
