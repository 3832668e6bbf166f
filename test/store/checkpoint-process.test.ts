import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { runScript } from "../support/run-script.js";
import { freshPath, openRaw } from "../support/stores.js";

/** Writes until the store's thread is at work, which the size that its connection leaves the log shows to nobody but itself. */
const WORK = `
  import { setImmediate } from "node:timers/promises";
  import threads from "node:worker_threads";
  import { syncBuiltinESMExports } from "node:module";
  let ready = 0;
  threads.Worker = class extends threads.Worker {
    constructor(...args) {
      super(...args);
      this.once("message", () => (ready = 1));
    }
  };
  syncBuiltinESMExports();
  const store = await fairbatch.openSqliteStore(process.argv[1]);
  const targets = Array.from({ length: 50 }, (_, index) => ({ url: "u:" + index }));
  const runner = await fairbatch.createBatchRunner({
    store, targetsPerJob: 50, jobsPerCaller: 1e6, jobsTotal: 1e6, fetch: ({ url }) => ({ content: url.repeat(500) }),
  });
  let jobs = 0;
  while (ready < 2) {
    await runner.submit({ caller: { name: "ann" }, callerClass: "", targets, idempotencyKey: String(jobs++) });
    await runner.idle();
    // Some more once it is ready, so that it is asked.
    if (ready > 0) ready += 0.05;
  }
  console.log(jobs);
`;

function storedIn(path: string) {
  const raw = openRaw(path);
  const [sound, jobs] = [
    raw.pragma("integrity_check", { simple: true }),
    raw.prepare("select count(*) from batch_job where status = 'done' and targets_done = 50").pluck().get(),
  ];
  return { sound, jobs };
}

const says = (stdout: string) => ({ code: 0, stdout, stderr: "" });

test("R8: a process whose store is open and has a thread exits by itself", async () => {
  const path = freshPath();
  const { code, stdout, stderr } = await runScript(WORK, path).ended;
  expect({ code, stderr, ...storedIn(path) }).toEqual({ code: 0, stderr: "", sound: "ok", jobs: Number(stdout) });
});

test("R8: a process whose store was left open, with nobody to listen to its thread, exits by itself", async () => {
  const path = freshPath();
  const source = `
    const store = await fairbatch.openSqliteStore(process.argv[1]);
    const fetch = ({ url }) => ({ content: url.repeat(500) });
    const runner = await fairbatch.createBatchRunner({ store, targetsPerJob: 500, fetch });
    const targets = Array.from({ length: 500 }, (_, index) => ({ url: "u:" + index }));
    await runner.submit({ caller: { name: "ann" }, callerClass: "", targets });
    await runner.idle();
    console.log("idle");`;
  expect(await runScript(source, path).ended).toEqual(says("idle\n"));
});

test("R8: a process that ends at once while the thread works leaves a sound file with all that was stored", async () => {
  const path = freshPath();
  const source = `${WORK}
    await runner.submit({ caller: { name: "ann" }, callerClass: "", targets });
    process.exit(0);`;
  const { stdout, ...ended } = await runScript(source, path).ended;
  expect({ ...ended, ...storedIn(path) }).toEqual({ code: 0, stderr: "", sound: "ok", jobs: Number(stdout) });
});

test("R8: a process that waits for nothing but the close of its store lives until then", async () => {
  const path = freshPath();
  const source = `${WORK}
    await runner.close();
    await store.close();
    console.log("closed");`;
  const { stdout, ...ended } = await runScript(source, path).ended;
  expect({ ...ended, last: stdout.split("\n").at(-2) }).toEqual({ code: 0, stderr: "", last: "closed" });
});

test("R8: the thread runs none of its host's preloaded modules", async () => {
  const path = freshPath();
  const loader = `${path}-preloaded.mjs`;
  writeFileSync(loader, 'console.log("preloaded");');
  const options = process.env.NODE_OPTIONS;
  process.env.NODE_OPTIONS = `--import=${loader}`;
  onTestFinished(() => {
    if (options === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = options;
  });
  const { ended } = runScript(`${WORK.replace("console.log(jobs)", "")}`, path);
  expect(await ended).toEqual(says("preloaded\n"));
});
