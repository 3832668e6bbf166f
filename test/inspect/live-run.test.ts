import { expect, onTestFinished, test } from "vitest";
import { RetryLaterError } from "../../src/index.js";
import type { SpanView } from "../../src/inspect/protocol.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";
import { openInspector } from "./open-inspector.js";
import { Viewer } from "./viewer.js";

/** A runner that is looked at from its first moment on. */
async function startInspected(config: { workers?: number } = {}) {
  const inspector = await openInspector();
  const viewer = await Viewer.look(inspector.url);
  const held = heldFetch();
  const run = await startRunner({ fetch: held.fetch, inspect: inspector.inspect, ...config });
  return { ...run, inspector, viewer, held };
}

/** What a person reads off the timeline: who did what to which target, in the order of beginning. */
function phases(viewer: Viewer, names: Record<string, string>): string[] {
  const line = ({ phase, jobId, index, attempt, worker = "nobody" }: SpanView) =>
    `${phase} ${names[jobId]}${index + 1} #${attempt} by ${worker}`;
  return [...viewer.spans.values()].sort((one, other) => one.id - other.id).map(line);
}

test("inspector: a job is followed from queued to done, and then it is gone from the actors and stays among the jobs", async () => {
  const { viewer, held, submit, runner, store } = await startInspected();
  const other = await submit("bob", "u:b1");
  const id = await submit("ann", "u:a1", "u:a2");
  await viewer.untilIn(id, "queued.ready");
  (await held.next()).succeed();
  const first = await held.next();
  await viewer.untilIn(id, "running.inFlight");
  first.succeed();
  const second = await held.next();
  await viewer.until(() => viewer.actor(id)?.targetsDone === 1);
  second.fail(new Error("no"));
  await untilTerminal(runner, id);
  await viewer.until(() => viewer.jobs.get(id)?.status === "partial" && viewer.actors.size === 2);

  expect(viewer.jobs.get(id)).toEqual({ id, status: "partial", targetsTotal: 2, targetsDone: 2, targetsFailed: 1 });
  expect(viewer.last.jobStates).toEqual({ done: 1, partial: 1 });
  expect(viewer.shown().actors.map(({ name, active }) => [name, ...active])).toEqual([
    ["scheduler", "open"],
    ["worker-1", "idle"],
  ]);
  expect(viewer.jobs.get(other)?.status).toBe((await store.findJob(other))?.status);
});

test("inspector: who comes late is told of every living actor and its present state, as who was there from the start", async () => {
  const { viewer, held, submit, inspector } = await startInspected({ workers: 2 });
  const ids: string[] = [];
  for (const caller of ["ann", "bob", "cid", "dan"]) ids.push(await submit(caller, "u:1", "u:2"));
  (await held.next()).succeed();
  await held.next();
  await held.next();
  await viewer.until(() => viewer.last.rotation?.readyTotal === 2 && viewer.jobs.get(ids[0]!)?.targetsDone === 1);
  await settled();
  const third = () => ["worker-1", "worker-2"].find((name) => viewer.actor(name)?.jobId === ids[2]) ?? "";
  await viewer.until(() => viewer.actor(third())?.active[0] === "fetching");

  const late = await Viewer.look(inspector.url);
  await late.until(() => late.told.length > 0);
  expect(late.shown()).toEqual(viewer.shown());
  expect(late.told[0]?.message.source).toBe("runner");
  expect(late.actor(ids[1]!)).toMatchObject({ kind: "job", active: ["running.inFlight"], jobId: ids[1], place: 1 });
  expect(late.actor(third())).toMatchObject({ active: ["fetching"], jobId: ids[2], index: 0, attempt: 1 });
  expect(late.last.jobStates).toEqual({ "running.ready": 1, "running.inFlight": 2, "queued.ready": 1 });
  expect(late.last.rotation).toEqual({
    ready: [
      { jobId: ids[0], place: 0 },
      { jobId: ids[3], place: 3 },
    ],
    readyTotal: 2,
    lastPlace: 2,
    lastJobId: ids[2],
    idleWorkers: [],
  });
});

test("R2: the timeline shows the turns that jobs take, and the wait of one that is tried later", async () => {
  const { viewer, held, submit, clock, runner } = await startInspected();
  const [a, b] = [await submit("ann", "u:a1", "u:a2"), await submit("bob", "u:b1")];
  (await held.next()).fail(new RetryLaterError("later", { afterMs: 500 }));
  (await held.next()).succeed();
  await untilTerminal(runner, b);
  await viewer.untilIn(a, "running.waiting");
  expect(viewer.actor(a)?.waitMs).toBe(500);
  clock.increment(500);
  (await held.next()).succeed();
  (await held.next()).succeed();
  await untilTerminal(runner, a);
  await viewer.until(() => viewer.jobs.get(a)?.status === "done" && viewer.actor("worker-1")?.active[0] === "idle");

  const turns = phases(viewer, { [a]: "a", [b]: "b" }).filter((line) => /^(fetching|waiting)/.test(line));
  expect(turns).toEqual([
    "fetching a1 #1 by worker-1",
    "waiting a1 #1 by nobody",
    "fetching b1 #1 by worker-1",
    "fetching a1 #2 by worker-1",
    "fetching a2 #1 by worker-1",
  ]);
  expect(phases(viewer, { [a]: "a", [b]: "b" })).toContain("storing a2 #1 by worker-1");
  const times = [...viewer.spans.values()].map(({ fromMs, toMs }) => (toMs ?? Number.NaN) - fromMs);
  expect(times.filter((ms) => !(ms >= 0))).toEqual([]);
});

test("inspector: events are told with who sent them, and with their ids, counts and flags", async () => {
  const { viewer, held, submit, runner } = await startInspected();
  await settled();
  const id = await submit("ann", "u:a1");
  (await held.next()).succeed();
  await untilTerminal(runner, id);
  await viewer.until(() => [...viewer.events.values()].some(({ type }) => type === "xstate.done.actor.job"));
  await viewer.until(() => [...viewer.events.values()].filter(({ type }) => type === "worker.idle").length === 2);

  const types = ["worker.idle", "job.ready", "target.taken", "target.started"];
  const told = [...viewer.events.values()]
    .filter(({ type }) => types.includes(type))
    .map(({ fromName, toName, type, detail }) => [fromName, toName, type, detail]);
  expect(told).toEqual([
    [undefined, "scheduler", "worker.idle", { worker: "worker-1" }],
    [id, "scheduler", "job.ready", { place: 0, jobId: id }],
    ["scheduler", id, "target.taken", {}],
    [undefined, "worker-1", "target.started", { index: 0, attempt: 1, first: true }],
    ["worker-1", id, "target.started", { index: 0, attempt: 1, first: true }],
    [undefined, "scheduler", "worker.idle", { worker: "worker-1" }],
  ]);
});

test("inspector: a cancelled job and those that a closing runner leaves are no actors any more", async () => {
  const { viewer, held, submit, runner, clock } = await startInspected();
  const [a, b] = [await submit("ann", "u:a1"), await submit("bob", "u:b1")];
  await held.next();
  await runner.cancel(a);
  await viewer.untilIn(a, "draining.inFlight");
  expect(viewer.jobs.get(a)?.status).toBe("cancelled");
  expect(viewer.actor(b)?.active).toEqual(["queued.ready"]);
  const closed = runner.close({ timeoutMs: 1 });
  clock.increment(1);
  await closed;
  await viewer.until(() => viewer.actors.size === 0);
  expect(viewer.jobs.get(b)?.status).toBe("queued");
  expect([...viewer.spans.values()].filter(({ toMs }) => toMs === undefined)).toEqual([]);
  expect(viewer.last.jobStates).toEqual({});
});

test("inspector: what a closed runner left has failed once another has begun, but for what that goes on with", async () => {
  const { viewer, held, submit, runner, store, clock, inspector } = await startInspected();
  const [a, b] = [await submit("ann", "u:a1"), await submit("bob", "u:b1")];
  await held.next();
  const closed = runner.close({ timeoutMs: 1 });
  clock.increment(1);
  await closed;
  await viewer.until(() => viewer.actors.size === 0);
  const next = await startRunner({
    store,
    fetch: heldFetch().fetch,
    inspect: inspector.inspect,
    resume: ({ caller }) => (caller === "bob" ? { name: caller } : undefined),
  });
  onTestFinished(() => next.runner.close());
  await viewer.until(() => viewer.actor(b) !== undefined && viewer.jobs.get(a)?.status === "failed");
  expect(viewer.jobs.get(b)?.status).toBe((await store.findJob(b))?.status);
  expect((await store.findJob(a))?.status).toBe("failed");
});

test("inspector: closing it right after a job has ended tells of that end", async () => {
  const { viewer, held, submit, runner, inspector } = await startInspected();
  const id = await submit("ann", "u:a1");
  const call = await held.next();
  await viewer.untilIn(id, "running.inFlight");
  call.succeed();
  await untilTerminal(runner, id);
  await inspector.close();
  await viewer.until(() => viewer.text.endsWith("event: end\ndata: {}\n\n"));
  expect(viewer.jobs.get(id)?.status).toBe("done");
});
