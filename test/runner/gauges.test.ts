import { expect, test } from "vitest";
import { type GaugeContext, type Hooks, RetryLaterError, TargetError } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { batchOf, rejection } from "../support/raw-submit.js";
import { type RunnerUnderTest, startRunner } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";

/** Changes both gauges in every way there is: retry later, cancel in flight, cancel in the queue, failure, success, reuse, refusal. */
async function runEverything(hooks: Hooks, prepare: (started: RunnerUnderTest) => void): Promise<void> {
  const held = heldFetch();
  const started = await startRunner({ fetch: held.fetch, hooks, jobsTotal: 3, jobsPerCaller: 3 });
  const { runner, clock, submit } = started;
  prepare(started);
  await submit("a", "a:1", "a:2");
  const a1 = await held.next();
  const b = await submit("b", "b:1");
  const c = await submit("c", "c:1");
  await submit("c", "c:1");
  await rejection(submit("d", "d:1"));
  a1.fail(new RetryLaterError());
  const b1 = await held.next();
  await runner.cancel(b);
  await runner.cancel(c);
  await runner.cancel(c);
  b1.succeed();
  await settled();
  clock.increment(2_000);
  (await held.next()).fail(new TargetError("nope"));
  (await held.next()).succeed();
  await runner.idle();
  await settled();
}

const EVERYTHING: [keyof GaugeContext, number][] = [
  ["live", 1],
  ["inflight", 1],
  ["live", 2],
  ["live", 3],
  ["inflight", 0],
  ["inflight", 1],
  ["live", 2],
  ["live", 1],
  ["inflight", 0],
  ["inflight", 1],
  ["inflight", 0],
  ["inflight", 1],
  ["inflight", 0],
  ["live", 0],
];

test("R7: depth and inflight are each told after every change of its own value, and only then", async () => {
  const told: [string, number][] = [];
  await runEverything(
    { depth: (live) => told.push(["live", live]), inflight: (count) => told.push(["inflight", count]) },
    () => {},
  );
  expect(told).toEqual(EVERYTHING);
});

test("R7: what a hook is told is what the gauges say by then", async () => {
  const differences: unknown[] = [];
  let gauges: GaugeContext | undefined;
  const look = (key: keyof GaugeContext, value: number) => {
    if (gauges?.[key] !== value) differences.push([key, value, gauges]);
  };
  await runEverything(
    { depth: (live) => look("live", live), inflight: (count) => look("inflight", count) },
    ({ runner }) => {
      runner.gauges.subscribe(({ context }) => {
        gauges = context;
        expect(runner.gauges.getSnapshot().context).toEqual(context);
      });
    },
  );
  expect({ gauges, differences }).toMatchObject({ gauges: { live: 0, inflight: 0 }, differences: [] });
});

test("R7: subscribers get both values after every change of either", async () => {
  const seen: GaugeContext[] = [];
  await runEverything({}, ({ runner }) => {
    expect(runner.gauges.getSnapshot().context).toEqual({ live: 0, inflight: 0 });
    runner.gauges.subscribe(({ context }) => void seen.push(context));
  });
  let context = { live: 0, inflight: 0 };
  const expected = EVERYTHING.map(([key, value]) => {
    context = { ...context, [key]: value };
    return context;
  });
  expect(seen).toEqual(expected);
});

test("R7: a selection changes only with its own value", async () => {
  const seen: number[] = [];
  await runEverything({}, ({ runner }) => {
    runner.gauges.select(({ live }) => live).subscribe((live) => void seen.push(live));
  });
  expect(seen).toEqual(EVERYTHING.filter(([key]) => key === "live").map(([, value]) => value));
});

test("R7: depth is told after the rows have changed: it is the number of live ones", async () => {
  const { store, raw } = await openStoreFile();
  const count = raw.prepare("select count(*) from batch_job where status in ('queued', 'running')").pluck();
  const seen: [number, unknown][] = [];
  const hooks = { depth: (live: number) => seen.push([live, count.get()]) };
  const { runner, submit } = await startRunner({ store, hooks, fetch: () => ({ content: "" }) });
  await submit("a", "a:1");
  await runner.idle();
  const held = await submit("b", "b:1");
  await runner.cancel(held);
  expect(seen).toEqual([
    [1, 1],
    [0, 0],
    [1, 1],
    [0, 0],
  ]);
});

const thrower = (): never => {
  throw new Error("a subscriber's own trouble");
};

test("R7: a subscriber that throws stops neither the later ones nor the runner", async () => {
  const { runner, lines, submit } = await startRunner({ fetch: () => ({ content: "" }) });
  const { gauges } = runner;
  const seen: Record<string, number[]> = { function: [], observer: [] };
  gauges.subscribe(thrower);
  gauges.subscribe({ next: thrower, error: thrower, complete: thrower });
  gauges.subscribe((async () => thrower()) as () => void);
  gauges.subscribe(({ context }) => void seen.function?.push(context.live));
  gauges.subscribe({ next: ({ context }) => void seen.observer?.push(context.live) });
  const id = await submit("a", "a:1");
  expect(await untilTerminal(runner, id)).toMatchObject({ status: "done" });
  expect(seen).toEqual({ function: [1, 1, 1, 0], observer: [1, 1, 1, 0] });
  expect(lines).toEqual([
    "depth 1",
    "job created",
    "inflight 1",
    "inflight 0",
    "depth 0",
    "target ok 14",
    "job done",
    "jobSeconds",
  ]);
});

test("R7: a subscriber of a selection that throws stops neither the later ones nor the runner", async () => {
  const { runner, lines, submit } = await startRunner({ fetch: () => ({ content: "" }) });
  const { gauges } = runner;
  const seen: Record<string, number[]> = { selection: [], gauges: [] };
  const live = gauges.select((context) => context.live);
  live.subscribe(thrower);
  live.subscribe((value) => void seen.selection?.push(value));
  gauges.select(({ inflight }) => inflight).subscribe(thrower);
  gauges.subscribe(({ context }) => void seen.gauges?.push(context.live));
  const id = await submit("a", "a:1");
  expect(await untilTerminal(runner, id)).toMatchObject({ status: "done" });
  expect(seen).toEqual({ selection: [1, 0], gauges: [1, 1, 1, 0] });
  expect(lines.filter((line) => line.startsWith("depth"))).toEqual(["depth 1", "depth 0"]);
});

test("R7: a selector that throws stops neither the gauges nor the runner", async () => {
  const { runner, lines, submit } = await startRunner({ fetch: () => ({ content: "" }) });
  runner.gauges.select(({ live }) => (live > 0 ? thrower() : live)).subscribe(() => {});
  const seen: number[] = [];
  runner.gauges.subscribe(({ context }) => void seen.push(context.live));
  const id = await submit("a", "a:1");
  expect(await untilTerminal(runner, id)).toMatchObject({ status: "done" });
  expect({ seen, lines: lines.filter((line) => line.startsWith("depth")) }).toEqual({
    seen: [1, 1, 1, 0],
    lines: ["depth 1", "depth 0"],
  });
});

test("R7: who unsubscribes, even while being told, is told no more, and the others are", async () => {
  const { runner, submit } = await startRunner({ fetch: () => ({ content: "" }) });
  const seen: Record<string, number> = { once: 0, never: 0, always: 0 };
  const count = (name: string) => () => {
    seen[name] = (seen[name] ?? 0) + 1;
  };
  const once = runner.gauges.subscribe(() => {
    count("once")();
    once.unsubscribe();
  });
  runner.gauges.subscribe(count("never")).unsubscribe();
  runner.gauges.subscribe(count("always"));
  await submit("a", "a:1");
  await runner.idle();
  expect(seen).toEqual({ once: 1, never: 0, always: 4 });
});

test("R7: a subscriber that calls the runner gets answers, and the gauges stay right", async () => {
  const told: number[] = [];
  const { runner, submit } = await startRunner({
    fetch: () => ({ content: "" }),
    hooks: { depth: (live) => told.push(live) },
  });
  let more: Promise<unknown> | undefined;
  runner.gauges.subscribe(() => {
    more ??= runner.submit(batchOf([{ url: "more:1" }]));
  });
  await submit("a", "a:1");
  await more;
  await runner.idle();
  expect(told).toEqual([1, 2, 1, 0]);
});
