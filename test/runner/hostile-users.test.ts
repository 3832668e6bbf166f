import { describe, expect, onTestFinished, test } from "vitest";
import type { Hooks, RunnerConfig } from "../../src/index.js";
import { settled, untilTerminal } from "../../src/testing/index.js";
import { recordHooks, startRunner } from "../support/runner.js";

type Logger = NonNullable<RunnerConfig["logger"]>;

/** Collects what nobody handled until the test ends. */
function watchUnhandled(): unknown[] {
  const unhandled: unknown[] = [];
  const collect = (error: unknown) => unhandled.push(error);
  for (const event of ["unhandledRejection", "uncaughtException"]) {
    process.on(event, collect);
    onTestFinished(() => void process.off(event, collect));
  }
  return unhandled;
}

const fetch = (target: { url: string }) => {
  if (target.url === "bad") throw new Error("nope");
  return { content: "" };
};

/** Runs a job to its end, one to its cancel and one again, and closes; resolves to what was stored. */
async function lifeOf(config: Partial<RunnerConfig>) {
  const unhandled = watchUnhandled();
  const { runner, submit } = await startRunner({ fetch, workers: 1, ...config });
  const id = await submit("ann", "a", "bad");
  const cancelled = await submit("bob", "b");
  await runner.cancel(cancelled);
  const end = (await untilTerminal(runner, id))?.status;
  const again = await submit("ann", "a", "bad");
  await runner.idle();
  const targets = (await runner.status(id))?.targets.map(({ status }) => status);
  const other = (await runner.status(cancelled))?.job.status;
  await settled();
  await runner.close();
  await settled();
  return { end, reused: again === id, targets, other, unhandled };
}

const UNHARMED = { end: "partial", reused: true, targets: ["done", "failed"], other: "cancelled", unhandled: [] };
const NAMES = ["job", "target", "jobSeconds", "depth", "inflight"] as const;

const throwing = () => {
  throw new Error("hook");
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const hooksOf = (hook: () => unknown) => Object.fromEntries(NAMES.map((name) => [name, hook])) as Hooks;

const HOOKS: [string, () => Hooks][] = [
  ["throw an Error", () => hooksOf(throwing)],
  ["reject with undefined", () => hooksOf(() => Promise.reject(undefined))],
  ["reject", () => hooksOf(async () => throwing())],
  ["reject later", () => hooksOf(() => settled().then(throwing))],
  ["never resolve", () => hooksOf(() => new Promise(() => {}))],
  // biome-ignore lint/suspicious/noThenProperty: a hostile thenable
  ["return a thenable that throws", () => hooksOf(() => ({ then: throwing }))],
  ["return a revoked proxy", () => hooksOf(revoked)],
  ["are no functions", () => Object.fromEntries(NAMES.map((name) => [name, 5])) as unknown as Hooks],
  [
    "are throwing getters",
    () => Object.defineProperties({}, Object.fromEntries(NAMES.map((name) => [name, { get: throwing }]))),
  ],
  ["are of a revoked proxy", () => revoked() as Hooks],
  ["are null", () => null as unknown as Hooks],
];

describe("R8: hooks change nothing where they", () => {
  test.each(HOOKS)("%s", async (_name, make) => {
    expect(await lifeOf({ hooks: make() })).toEqual(UNHARMED);
  });
});

test.each(NAMES)("R8: when only the hook `%s` throws, every other one is still called", async (name) => {
  const quiet = recordHooks();
  await lifeOf({ hooks: quiet.hooks });
  const { hooks, lines } = recordHooks();
  await lifeOf({ hooks: { ...hooks, [name]: throwing } });
  const told = (line: string) => !line.startsWith(name) || (name === "job" && line === "jobSeconds");
  expect(lines).toEqual(quiet.lines.filter(told));
  expect(quiet.lines.length).toBeGreaterThan(lines.length);
});

test("R8: hooks are called on their own object, and may be methods of a class", async () => {
  class Counter implements Hooks {
    jobs = 0;
    job() {
      this.jobs++;
    }
  }
  const hooks = new Counter();
  expect(await lifeOf({ hooks })).toEqual(UNHARMED);
  expect(hooks.jobs).toBe(5);
});

const LOGGERS: [string, () => unknown][] = [
  ["throws", () => ({ debug: throwing, info: throwing, warn: throwing, error: throwing, child: throwing })],
  [
    "rejects",
    () => Object.fromEntries(["debug", "info", "warn", "error"].map((level) => [level, async () => throwing()])),
  ],
  ["lacks its methods", () => ({})],
  ["lacks `child`", () => ({ debug() {}, info() {}, warn() {}, error() {}, trace() {}, fatal() {} })],
  ["has throwing getters", () => new Proxy({}, { get: throwing })],
  ["is a revoked proxy", revoked],
  ["is null", () => null],
];

describe("R8: a logger changes nothing where it", () => {
  test.each(LOGGERS)("%s", async (_name, make) => {
    expect(await lifeOf({ logger: make() as Logger })).toEqual(UNHARMED);
  });
});

const OBSERVERS: [string, () => unknown][] = [
  ["throws", () => throwing],
  ["rejects", () => async () => throwing()],
  ["is an object whose `next` throws", () => ({ next: throwing })],
  ["is an object whose `next` rejects", () => ({ next: async () => throwing() })],
  ["is an object without `next`", () => ({})],
  ["is an object with throwing getters", () => new Proxy({}, { get: throwing })],
];

describe("R8: an inspect observer changes nothing where it", () => {
  test.each(OBSERVERS)("%s", async (_name, make) => {
    expect(await lifeOf({ inspect: make() as NonNullable<RunnerConfig["inspect"]> })).toEqual(UNHARMED);
  });
});

test("an inspect observer sees the scheduler, the workers and the jobs of one system", async () => {
  const roots = new Set<string>();
  const actors: string[] = [];
  await lifeOf({
    inspect(event) {
      roots.add(event.rootId);
      if (event.type === "@xstate.actor") actors.push((event.actorRef as { id?: string }).id ?? "");
    },
  });
  expect(roots.size).toBe(1);
  expect(actors.filter((id) => id.startsWith("worker"))).toEqual(["worker-1"]);
  expect(actors.filter((id) => id === "job").length).toBeGreaterThanOrEqual(2);
});

test("R8: a subscriber of the gauges that throws or rejects changes nothing, and later ones are told", async () => {
  const unhandled = watchUnhandled();
  const { runner, lines, submit } = await startRunner({ fetch });
  const told: number[] = [];
  runner.gauges.subscribe(throwing);
  runner.gauges.subscribe({ next: throwing });
  runner.gauges.subscribe((async () => throwing()) as () => void);
  runner.gauges.subscribe(({ context }) => told.push(context.live));
  const subscription = runner.gauges.subscribe(throwing);
  subscription.unsubscribe();
  await submit("ann", "a");
  await runner.idle();
  await settled();
  expect([told, lines.slice(-2), unhandled]).toEqual([[1, 1, 1, 0], ["job done", "jobSeconds"], []]);
});

test("R8: a reader of `watch` that throws ends only its own watch", async () => {
  const unhandled = watchUnhandled();
  const { runner, submit } = await startRunner({ fetch });
  const id = await submit("ann", "a", "bad");
  const reading = (async () => {
    for await (const _job of runner.watch(id)) throwing();
  })();
  await expect(reading).rejects.toThrow("hook");
  expect((await untilTerminal(runner, id))?.status).toBe("partial");
  expect(unhandled).toEqual([]);
});

test("R8: a fetch that throws before its first await, and one that rejects with a handler missing, leave nothing unhandled", async () => {
  const unhandled = watchUnhandled();
  const { runner, submit } = await startRunner({
    fetch: (target) => {
      if (target.url === "sync") throw new Error("sync");
      return Promise.reject(new Error("async"));
    },
  });
  const id = await submit("ann", "sync", "async");
  await untilTerminal(runner, id);
  await settled();
  expect((await runner.status(id))?.targets.map(({ error }) => error)).toEqual(["sync", "async"]);
  expect(unhandled).toEqual([]);
});
