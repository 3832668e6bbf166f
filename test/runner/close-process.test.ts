import { expect, test } from "vitest";
import { runScript } from "../support/run-script.js";
import { freshPath } from "../support/stores.js";

const JOB = (url: string) =>
  `{ caller: { name: ${JSON.stringify(url)} }, callerClass: "", targets: [{ url: ${JSON.stringify(url)} }] }`;

test("the process exits by itself after `close()`, with nothing printed", async () => {
  const { ended } = runScript(
    `const store = await fairbatch.openSqliteStore(process.argv[1]);
     const fetch = async () => ({ content: "" });
     const runner = await fairbatch.createBatchRunner({ store, fetch, workers: 2, targetTimeoutMs: 60_000 });
     await runner.submit(${JOB("a")});
     await runner.idle();
     await runner.close();`,
    freshPath(),
  );
  expect(await ended).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("the process exits by itself after `close()` with a target that waits to retry, and with one that never answers", async () => {
  const { ended } = runScript(
    `const store = await fairbatch.openSqliteStore(process.argv[1]);
     let hangs;
     const hanging = new Promise((resolve) => { hangs = resolve; });
     const fetch = ({ url }) => {
       if (url === "busy") throw new fairbatch.RetryLaterError("later", { afterMs: 500_000 });
       return new Promise(hangs);
     };
     const runner = await fairbatch.createBatchRunner({ store, fetch, targetTimeoutMs: 60_000 });
     await runner.submit(${JOB("busy")});
     await runner.submit(${JOB("hangs")});
     await hanging;
     await runner.close({ timeoutMs: 50 });
     console.log("closed");
     setTimeout(() => process.exit(3), 3_000).unref();`,
    freshPath(),
  );
  expect(await ended).toEqual({ code: 0, stdout: "closed\n", stderr: "" });
});

test("the process stays alive while a retry is due", async () => {
  const { ended } = runScript(
    `const store = await fairbatch.openSqliteStore(process.argv[1]);
     const fetch = (_target, { attempt }) => {
       console.log("attempt " + attempt);
       if (attempt < 3) throw new fairbatch.RetryLaterError();
       return { content: "" };
     };
     const hooks = { job: (outcome) => console.log(outcome) };
     const runner = await fairbatch.createBatchRunner({ store, fetch, hooks, retryWaitMs: 100 });
     await runner.submit(${JOB("a")});`,
    freshPath(),
  );
  expect(await ended).toEqual({ code: 0, stdout: "created\nattempt 1\nattempt 2\nattempt 3\ndone\n", stderr: "" });
});

/** Everything hostile at once: fetches, hooks, loggers, observers, a clock and a store that fail at random moments. */
const HOSTILE = `
  const unhandled = [];
  process.on("unhandledRejection", (error) => unhandled.push("rejection " + error));
  process.on("uncaughtException", (error) => unhandled.push("exception " + error));
  const real = await fairbatch.openSqliteStore(process.argv[1]);
  let calls = 0;
  const store = Object.fromEntries(Object.entries(real).map(([name, method]) => [name, async (...args) => {
    if (["admit", "start", "settle", "defer", "sweep", "evict"].includes(name) && ++calls % 4 === 0) throw new Error("store");
    return method(...args);
  }]));
  const bad = () => { throw new Error("hostile"); };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const thrown = [undefined, null, "text", Symbol("x"), proxy, Object.create(null), new TypeError("bug"), new Error("nope"),
    new fairbatch.RetryLaterError("busy", { afterMs: 1 }), new fairbatch.TargetError("gone")];
  let fetches = 0;
  const { setTimeout: sleep } = await import("node:timers/promises");
  const late = [];
  const fetch = async () => {
    const turn = fetches++ % 14;
    if (turn < thrown.length) throw thrown[turn];
    if (turn === 10) return proxy;
    if (turn === 11) { setTimeout(bad, 60_000).unref(); return new Promise(() => {}); }
    if (turn === 12) { return new Promise((_, reject) => late.push(sleep(40).then(() => reject(new Error("late"))))); }
    return { content: "" };
  };
  const anyway = [bad, async () => bad(), () => new Promise(() => {}), () => proxy, () => ({ then: bad })];
  const either = (...args) => anyway[++calls % anyway.length](...args);
  const runner = await fairbatch.createBatchRunner({
    store, fetch, workers: 2, jobsTotal: 1000, jobsPerCaller: 1000, maxBytes: 500,
    retryWaitMs: 2, retryForMs: 30, targetTimeoutMs: 20,
    hooks: { job: either, target: either, jobSeconds: either, depth: either, inflight: either },
    logger: { debug: either, info: either, warn: either, error: either },
    inspect: either,
  });
  runner.gauges.subscribe(either);
  const targets = (job) => Array.from({ length: 5 }, (_, index) => ({ url: job + "/" + index }));
  let admitted = 0;
  for (let job = 0; job < 60; job++) {
    try {
      const { id } = await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: targets(job) });
      admitted++;
      if (job % 7 === 0) await runner.cancel(id);
    } catch {}
  }
  await runner.idle();
  await runner.close();
  await Promise.all(late);
  await new Promise(setImmediate);
  console.log(JSON.stringify({ enough: admitted > 20 && fetches > 50, unhandled, gauges: runner.gauges.getSnapshot().context.inflight }));
`;

test("R8: with everything hostile at once, nothing is unhandled, every job ends, and the process exits by itself", async () => {
  const { ended } = runScript(HOSTILE, freshPath());
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr, said: stdout && JSON.parse(stdout) }).toEqual({
    code: 0,
    stderr: "",
    said: { enough: true, unhandled: [], gauges: 0 },
  });
});
