import type { Logger } from "pino";
import { describe, expect, test } from "vitest";
import type { Gauges, Hooks, Job } from "../../src/index.js";
import { CALLING, MISBEHAVIOURS } from "./misbehaviours.js";
import { revoked, throwing, trapped, withThrowing } from "./odd-values.js";
import { type Api, type Bystander, type Transcript, transcriptOf } from "./transcript.js";

const HOOKS = ["job", "target", "jobSeconds", "depth", "inflight"] as const;
const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
const ALL = [...MISBEHAVIOURS, ...CALLING];

let life: Promise<Transcript> | undefined;

/** The life that nobody disturbs; lived once. */
function reference(): Promise<Transcript> {
  life ??= transcriptOf({});
  return life;
}

test("the reference life shows every outcome of a job and of a target", async () => {
  const { hooks, gauges, watched, logs, rows, strays, leaks } = await reference();
  expect([...new Set(hooks.map((line) => line.split(" ")[0]))].sort()).toEqual([...HOOKS].sort());
  expect(hooks.filter((line) => line.startsWith("job "))).toEqual(
    ["created", "created", "cancelled", "partial", "reused", "created", "failed", "created", "done"].map(
      (o) => `job ${o}`,
    ),
  );
  expect([gauges.length, watched.at(-1), rows.length, strays, leaks]).toEqual([20, "partial 3, 1 failed", 12, [], []]);
  expect(logs.length).toBeGreaterThan(10);
});

/** An object whose methods record and then misbehave. */
function misbehaving(names: readonly string[], recording: object, misbehave: () => unknown): object {
  const methods = names.map((name) => [
    name,
    (...told: unknown[]) => {
      (recording as Record<string, (...told: unknown[]) => void>)[name]?.(...told);
      return misbehave();
    },
  ]);
  return Object.fromEntries(methods);
}

describe("R8: rows, hooks, gauges, watches and log lines are as without it, where", () => {
  test.each(ALL)("each hook %s", async (_name, misbehave) => {
    const hooks = (recording: Hooks, api: Api) => misbehaving(HOOKS, recording, () => misbehave(api));
    expect(await transcriptOf({ hooks })).toEqual(await reference());
  });

  test.each(ALL)("each method of the logger %s", async (_name, misbehave) => {
    const logger = (recording: Logger, api: Api) => misbehaving(LEVELS, recording, () => misbehave(api));
    expect(await transcriptOf({ logger })).toEqual(await reference());
  });

  test.each(ALL)("an inspect function %s", async (_name, misbehave) => {
    expect(await transcriptOf({ inspect: (api) => () => misbehave(api) })).toEqual(await reference());
  });

  test.each(ALL)("a subscriber of the gauges %s", async (_name, misbehave) => {
    const subscribe = (gauges: Gauges, api: Api) => {
      gauges.subscribe(noop);
      gauges.subscribe(() => misbehave(api) as undefined);
      gauges.subscribe({ next: () => misbehave(api) as undefined });
      gauges.select(() => misbehave(api)).subscribe(throwing);
    };
    expect(await transcriptOf({ subscribe })).toEqual(await reference());
  });

  test.each(ALL)("an inspector of the gauges %s", async (_name, misbehave) => {
    const subscribe = (gauges: Gauges, api: Api) => {
      gauges.inspect(() => misbehave(api) as undefined);
      gauges.inspect({ next: () => misbehave(api) as undefined });
      gauges.subscribe(noop);
    };
    expect(await transcriptOf({ subscribe })).toEqual(await reference());
  });
});

const UNHEARD: [string, Bystander][] = [
  [
    "an inspect observer whose `next` throws",
    { inspect: () => ({ next: throwing, error: throwing, complete: throwing }) },
  ],
  ["an inspect observer whose `next` throws when it is read", { inspect: () => withThrowing({}, "next", "error") }],
  ["an inspect observer that is trapped", { inspect: () => trapped() }],
  ["an inspect observer without `next`", { inspect: () => ({}) }],
  ["a subscriber that is no function", { subscribe: (gauges) => void gauges.subscribe(5 as never) }],
  ["a subscriber that is null", { subscribe: (gauges) => void gauges.subscribe(null as never) }],
  [
    "a subscriber whose `next` throws when it is read",
    { subscribe: (gauges) => void gauges.subscribe(withThrowing({}, "next")) },
  ],
  ["a trapped subscriber", { subscribe: (gauges) => void gauges.subscribe(trapped() as never) }],
  ["a selector whose comparison throws", { subscribe: comparing }],
  ["a subscriber that unsubscribes itself", { subscribe: unsubscribingItself }],
  [
    "a subscriber that subscribes another",
    { subscribe: (gauges) => void gauges.subscribe(() => subscribeOnce(gauges)) },
  ],
  ["a reader that throws", { read: throwingAtOnce }],
  ["a reader that returns early", { read: returningEarly }],
  ["a reader that never reads on", { read: stopping }],
  ["a reader that asks for many states at once", { read: askingMuch }],
  ["a reader that changes the states it is given", { read: changing }],
  ["a logger without `child`", { logger: (recording) => misbehaving(LEVELS, recording, noop) }],
  ["a logger that is frozen", { logger: (recording) => Object.freeze(recording) }],
  ["a logger that is a child", { logger: (recording) => recording.child({}, { level: "trace" }) }],
  ["hooks that change the errors they are given", { hooks: changingErrors }],
  ["hooks that are frozen", { hooks: (recording) => Object.freeze(recording) }],
  ["hooks that are methods of a class", { hooks: (recording) => Object.create(recording) }],
];

describe("R8: rows, hooks, gauges, watches and log lines are as without", () => {
  test.each(UNHEARD)("%s", async (_name, bystander) => {
    expect(await transcriptOf(bystander)).toEqual(await reference());
  });
});

const NO_OBJECTS: [string, unknown][] = [
  ["missing", {}],
  ["a number", 5],
  ["a revoked proxy", revoked()],
  ["a trapped proxy", trapped()],
  ["getters that throw", withThrowing({}, ...HOOKS, ...LEVELS)],
  ["no functions", Object.fromEntries([...HOOKS, ...LEVELS].map((name) => [name, name]))],
];

const noop = () => undefined;

function unsubscribingItself(gauges: Gauges): void {
  const subscription = gauges.subscribe(() => subscription.unsubscribe());
}

function comparing(gauges: Gauges): void {
  gauges.select(({ live }) => live, throwing).subscribe(noop);
  gauges.select(({ live }) => live, (() => revoked()) as never).subscribe(noop);
}

let subscribed = false;
function subscribeOnce(gauges: Gauges): void {
  if (!subscribed) gauges.subscribe(throwing);
  subscribed = true;
}

async function throwingAtOnce(states: AsyncIterable<Job>): Promise<void> {
  for await (const _state of states) throwing();
}

async function returningEarly(states: AsyncIterable<Job>): Promise<void> {
  for await (const _state of states) break;
}

async function stopping(states: AsyncIterable<Job>): Promise<void> {
  for await (const _state of states) await new Promise(noop);
}

async function askingMuch(states: AsyncIterable<Job>): Promise<void> {
  const reader = states[Symbol.asyncIterator]();
  await Promise.all(Array.from({ length: 100 }, () => reader.next()));
  await Promise.all([reader.return?.(), reader.return?.(), reader.next()]);
}

async function changing(states: AsyncIterable<Job>): Promise<void> {
  for await (const state of states) Object.assign(state, { id: "x", status: "done", targetsTotal: 0 });
}

function changingErrors(recording: Required<Hooks>): Hooks {
  const target: Hooks["target"] = (error, ...more) => {
    recording.target(error, ...more);
    if (error instanceof Error) Object.assign(error, { message: "changed", name: "TargetError", cause: throwing });
  };
  return { ...recording, target };
}

describe("R8: all but what it would have been told is as without it, where", () => {
  test.each(NO_OBJECTS)("the hooks are %s", async (_name, none) => {
    expect(await transcriptOf({ hooks: () => none })).toEqual({ ...(await reference()), hooks: [] });
  });

  test.each(NO_OBJECTS)("the logger's methods are %s", async (_name, none) => {
    expect(await transcriptOf({ logger: () => none })).toEqual({ ...(await reference()), logs: [] });
  });

  test.each(HOOKS)("only the hook `%s` throws when it is read", async (name) => {
    const hooks = (recording: Hooks) => withThrowing({ ...recording }, name);
    const heard = (await reference()).hooks.filter((line) => !line.startsWith(`${name} `));
    expect(await transcriptOf({ hooks })).toEqual({ ...(await reference()), hooks: heard });
  });

  test.each(["debug", "info"] as const)("only the logger's method `%s` is missing", async (name) => {
    const logger = (recording: Logger) =>
      new Proxy(recording, { get: (real, key) => (key === name ? undefined : Reflect.get(real, key)) });
    const level = `"level":${{ debug: 20, info: 30 }[name]},`;
    const heard = (await reference()).logs.filter((line) => !line.includes(level));
    expect(await transcriptOf({ logger })).toEqual({ ...(await reference()), logs: heard });
  });

  test("a subscriber of the gauges changes them: hooks count on as if nobody had", async () => {
    const subscribe = (gauges: Gauges) => {
      gauges.subscribe(({ context }) => {
        if (context.live < 90) gauges.trigger.changed({ live: 99, inflight: 99 });
      });
    };
    const { gauges, ...heard } = await transcriptOf({ subscribe });
    const { gauges: _gauges, ...stated } = await reference();
    expect(heard).toEqual(stated);
    expect(gauges).toContain("99 live, 99 in flight");
  });
});
