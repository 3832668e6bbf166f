// What a store that keeps so many ended jobs makes of a start, a submit, a status, a sweep and an eviction.
// Each eviction takes one job away, the sweep takes `times` of them in one call; status is asked of jobs all over the store.
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { createBatchRunner, openSqliteStore } from "fairbatch";
import { contend } from "../support/contend.mjs";
import { jobTargets, OPEN_CAPS, RESULT } from "../support/workload.mjs";

await contend(async ({ folder, filled, kept, firstLease, times }) => {
  const path = join(folder, "kept.sqlite");
  copyFileSync(filled, path);
  const { ids, jobBytes } = lookInto(path, kept, times);
  const store = await openSqliteStore(path);
  const beganMs = performance.now();
  let release;
  const released = new Promise((resolve) => {
    release = () => resolve(RESULT);
  });
  // No target is stored between two submits.
  const runner = await createBatchRunner({ store, ...OPEN_CAPS, fetch: () => released });
  const startMs = performance.now() - beganMs;
  const status = await microsecondsEach(ids, (id) => runner.status(id));
  const news = Array.from({ length: times }, (_, job) => jobTargets(`new-${job}`, 1));
  const submit = await microsecondsEach(news, (targets) =>
    runner.submit({ caller: { name: "bench" }, callerClass: "", targets }),
  );
  release();
  await runner.idle();
  await runner.close();

  const sweep = await microsecondsEach([firstLease + times], (lease) => store.sweep(lease));
  // The sweep took as many as the submits brought.
  const sizes = Array.from({ length: times }, (_, evicted) => (kept - evicted - 1) * jobBytes);
  const evict = await microsecondsEach(sizes, (size) => store.evict(size));
  const left = (await store.list({ limit: 2 ** 31 })).length;
  await store.close();
  if (left !== kept - times) throw new Error(`${left} jobs are left`);
  return { startMs, status, submit, sweep: sweep / times, evict };
});

function lookInto(path, kept, times) {
  const database = new Sqlite(path);
  const all = database.prepare("select id from batch_job order by id").all();
  const { jobBytes } = database.prepare("select max(nbytes) as jobBytes from batch_job").get();
  database.close();
  const ids = Array.from({ length: times }, (_, place) => all[Math.floor((place * kept) / times)].id);
  return { ids, jobBytes };
}

/** The event loop turns before each, as it does in a service: the store's thread tells of itself there. */
async function microsecondsEach(values, work) {
  const beganMs = performance.now();
  for (const value of values) {
    await setImmediate();
    await work(value);
  }
  return ((performance.now() - beganMs) * 1000) / values.length;
}
