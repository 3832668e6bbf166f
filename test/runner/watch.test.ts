import { expect, test } from "vitest";
import { type Job, openSqliteStore, RetryLaterError, type RunnerConfig, TargetError } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { collect } from "../support/collect.js";
import { startRunner } from "../support/runner.js";

const stateOf = ({ status, targetsDone, targetsFailed }: Job) => `${status} ${targetsDone}/${targetsFailed}`;

async function start(config: Partial<RunnerConfig> = {}) {
  const held = heldFetch({ ignoreAbort: true });
  const started = await startRunner({ fetch: held.fetch, ...config });
  /** Watches a job to its end; `states` grows as it goes. */
  const watch = (id: string) => {
    const states: string[] = [];
    const over = (async () => {
      for await (const job of started.runner.watch(id)) states.push(stateOf(job));
    })();
    return { states, over };
  };
  const iterate = (id: string) => started.runner.watch(id)[Symbol.asyncIterator]();
  return { ...started, held, watch, iterate };
}

const END = { done: true, value: undefined };

test("watch: the job now, then each change, the last one terminal", async () => {
  const { held, watch, clock, submit } = await start();
  await submit("bob", "u:0");
  const blocking = await held.next();
  const { states, over } = watch(await submit("alice", "u:1", "u:2", "u:3"));
  await settled();
  expect(states).toEqual(["queued 0/0"]);
  blocking.succeed();
  (await held.next()).succeed();
  await settled();
  expect(states).toEqual(["queued 0/0", "running 0/0", "running 1/0"]);
  (await held.next()).fail(new RetryLaterError());
  await settled();
  clock.increment(2_000);
  (await held.next()).fail(new TargetError("nope"));
  (await held.next()).succeed();
  await over;
  expect(states).toEqual(["queued 0/0", "running 0/0", "running 1/0", "running 2/1", "partial 3/1"]);
});

test("watch: each state is the job as its row says", async () => {
  const { held, runner, clock, submit } = await start();
  clock.increment(3_000);
  const id = await submit("alice", "u:1", "u:2");
  const first = await held.next();
  const seen: Job[] = [];
  const rows: (Job | undefined)[] = [];
  const over = (async () => {
    for await (const job of runner.watch(id)) {
      seen.push(job);
      rows.push((await runner.status(id))?.job);
    }
  })();
  await settled();
  first.succeed();
  const second = await held.next();
  await settled();
  second.succeed();
  await over;
  expect(seen.map(stateOf)).toEqual(["running 0/0", "running 1/0", "done 2/0"]);
  expect(seen).toEqual(rows);
});

test("watch: a slow reader gets the newest state only, and the last is terminal", async () => {
  const { held, iterate, submit } = await start();
  const watching = iterate(await submit("alice", "u:1", "u:2", "u:3", "u:4"));
  await held.next().then((call) => watching.next().then(() => call.succeed()));
  (await held.next()).succeed();
  const third = await held.next();
  await settled();
  expect(stateOf((await watching.next()).value)).toBe("running 2/0");
  third.succeed();
  (await held.next()).succeed();
  await settled();
  expect(stateOf((await watching.next()).value)).toBe("done 4/0");
  expect([await watching.next(), await watching.next()]).toEqual([END, END]);
});

test("watch: an unknown id ends at once", async () => {
  const { runner } = await start();
  expect(await collect(runner.watch("nowhere"))).toEqual([]);
});

test("watch: a job that has ended is told once, as it is", async () => {
  const { held, runner, submit } = await start();
  const id = await submit("alice", "u:1");
  (await held.next()).fail(new TargetError("nope"));
  await runner.idle();
  expect((await collect(runner.watch(id))).map(stateOf)).toEqual(["failed 1/1"]);
});

test("watch: a cancel is told at once and ends the watch, though a target is still in flight", async () => {
  const { held, runner, watch, submit } = await start();
  const id = await submit("alice", "u:1", "u:2");
  await held.next();
  const { states, over } = watch(id);
  await settled();
  await runner.cancel(id);
  await over;
  expect(states).toEqual(["running 0/0", "cancelled 0/0"]);
  expect((await collect(runner.watch(id))).map(stateOf)).toEqual(["cancelled 0/0"]);
});

test("watch: several watchers are each told everything, and one that leaves takes nothing from the others", async () => {
  const { held, runner, watch, submit } = await start();
  const id = await submit("alice", "u:1", "u:2");
  const first = await held.next();
  const watchers = [watch(id), watch(id)];
  for await (const job of runner.watch(id)) {
    expect(stateOf(job)).toBe("running 0/0");
    break;
  }
  await settled();
  first.succeed();
  await settled();
  const late = watch(id);
  (await held.next()).succeed();
  await Promise.all([...watchers, late].map(({ over }) => over));
  expect(watchers.map(({ states }) => states)).toEqual(Array(2).fill(["running 0/0", "running 1/0", "done 2/0"]));
  expect(late.states).toEqual(["running 1/0", "done 2/0"]);
});

test("watch: return ends a next that is pending", async () => {
  const { held, iterate, submit } = await start();
  const watching = iterate(await submit("alice", "u:1"));
  await held.next();
  await watching.next();
  const pending = watching.next();
  await settled();
  expect(await watching.return?.()).toEqual(END);
  expect([await pending, await watching.next()]).toEqual([END, END]);
});

test("watch: every next is answered, also where several are asked for at once", { timeout: 2_000 }, async () => {
  const { held, iterate, submit } = await start();
  const watching = iterate(await submit("alice", "u:1"));
  const call = await held.next();
  await settled();
  const nexts = [watching.next(), watching.next(), watching.next()];
  await settled();
  call.succeed();
  const answers = await Promise.all(nexts);
  expect(answers.map(({ done, value }) => (done ? "over" : stateOf(value)))).toEqual([
    "running 0/0",
    "done 1/0",
    "over",
  ]);
});

test("watch: closing the runner ends every watch, pending or not yet asked", async () => {
  const { held, runner, watch, iterate, submit } = await start();
  const id = await submit("alice", "u:1", "u:2");
  const call = await held.next();
  const { over } = watch(id);
  const pausing = iterate(id);
  await pausing.next();
  await settled();
  const closed = runner.close();
  call.succeed();
  await closed;
  await over;
  await collect({ [Symbol.asyncIterator]: () => pausing });
  await collect(runner.watch(id));
});

test("watch: a job that is evicted the moment it ends still tells its end", async () => {
  const { held, runner, watch, iterate, submit } = await start({ maxBytes: 1 });
  const id = await submit("alice", "u:1");
  const call = await held.next();
  const reading = watch(id);
  const pausing = iterate(id);
  await pausing.next();
  await settled();
  call.succeed();
  await reading.over;
  expect(await runner.status(id)).toBeUndefined();
  expect(reading.states).toEqual(["running 0/0", "done 1/0"]);
  expect(stateOf((await pausing.next()).value)).toBe("done 1/0");
  expect(await pausing.next()).toEqual(END);
  expect(await collect(runner.watch(id))).toEqual([]);
});

test("watch: begun in the hook that tells of the end, it tells the end", async () => {
  let told: Promise<Job[]> | undefined;
  const { held, runner, submit } = await start({
    hooks: {
      job: (outcome: string) => {
        if (outcome === "done") told = collect(runner.watch(id));
      },
    },
  });
  const id = await submit("alice", "u:1");
  (await held.next()).succeed();
  await runner.idle();
  expect((await told)?.map(stateOf)).toEqual(["done 1/0"]);
});

test("watch: a store that cannot be read rejects the first next, and the watch is over", async () => {
  const { runner } = await startRunner({
    fetch: () => ({ content: "" }),
    store: { ...(await openSqliteStore(":memory:")), findJob: () => Promise.reject(new Error("unreadable")) },
  });
  const watch = runner.watch("x")[Symbol.asyncIterator]();
  await expect(watch.next()).rejects.toThrow("unreadable");
  expect(await watch.next()).toEqual({ done: true, value: undefined });
});

test("watch: what returns before its first answer follows the job no more", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { runner, submit } = await startRunner({ fetch: held.fetch });
  const watch = runner.watch(await submit("a", "a:1"))[Symbol.asyncIterator]();
  const first = watch.next();
  await watch.return?.();
  expect([await first, await watch.next()]).toEqual([
    { done: true, value: undefined },
    { done: true, value: undefined },
  ]);
});
