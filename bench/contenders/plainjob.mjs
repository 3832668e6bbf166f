// plainjob keeps no results. Here they go into a column that its table is given: in the very statement that marks the job as
// done ("with the job": the least it can cost, two commits a target), or in a statement of the processor's own ("by the
// processor": what its interface offers, three commits). Its own pragmas stand (WAL, synchronous NORMAL); the length of the
// write-ahead log is set to fairbatch's, which plainjob leaves alone.
// Inside the time: adding the jobs, in as many transactions as fairbatch has submits, until the last is marked as done.
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { better, defineQueue, defineWorker, JobStatus } from "plainjob";
import { contend, timed } from "../support/contend.mjs";
import { expectStored } from "../support/stored-work.mjs";
import { batches, RESULT } from "../support/workload.mjs";

const silent = { error() {}, warn() {}, info() {}, debug() {} };

await contend(async ({ folder, targets, jobs, workers, results }) => {
  const path = join(folder, "plainjob.sqlite");
  const database = new Sqlite(path);
  database.pragma("wal_autocheckpoint = 4000");
  database.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
  const queue = defineQueue({ connection: better(database), logger: silent });
  database.exec("alter table plainjob_jobs add column result text");
  const process = results === "with the job" ? storeWithJob(database, queue) : storeByProcessor(database);
  const work = batches(targets, jobs).map((batch) => batch.map(({ url }) => url));
  const measured = await timed(
    targets,
    (submitted) =>
      new Promise((resolve, reject) => {
        let left = targets;
        const onCompleted = () => --left === 0 && resolve();
        const onFailed = (_job, error) => reject(new Error(error));
        const team = Array.from({ length: workers }, () =>
          defineWorker("bench", process, { queue, logger: silent, onCompleted, onFailed }),
        );
        for (const urls of work) queue.addMany("bench", urls);
        submitted();
        for (const worker of team) void worker.start();
      }),
  );
  queue.close();
  expectStored(path, targets, "plainjob_jobs");
  return measured;
});

/** The processor's result waits in memory until the worker marks the job as done. */
function storeWithJob(database, queue) {
  const finish = database.prepare("update plainjob_jobs set status = ?, result = ? where id = ?");
  const waiting = new Map();
  queue.markJobAsDone = (id) => {
    finish.run(JobStatus.Done, waiting.get(id), id);
    waiting.delete(id);
  };
  return async ({ id }) => {
    waiting.set(id, JSON.stringify(RESULT));
  };
}

function storeByProcessor(database) {
  const keep = database.prepare("update plainjob_jobs set result = ? where id = ?");
  return async ({ id }) => {
    keep.run(JSON.stringify(RESULT), id);
  };
}
