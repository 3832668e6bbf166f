import { expect, test } from "vitest";
import { type AnyActorRef, assign, createActor, type InspectionEvent, sendTo, setup } from "xstate";
import { type Revealable, redacted } from "../../src/inspect/index.js";
import { schedulerMachine } from "../../src/machines/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { withThrowing } from "../hostile/odd-values.js";
import { startRunner } from "../support/runner.js";

/** All that can be reached from what an observer was given: every text, and every name. */
function reachable(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === "string") return [value];
  if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return [];
  seen.add(value);
  const own = Reflect.ownKeys(value).flatMap((key) => [String(key), ...reachable(Reflect.get(value, key), seen)]);
  const snapshot = (value as { getSnapshot?: unknown }).getSnapshot;
  return typeof snapshot === "function" ? [...own, ...reachable(snapshot.call(value), seen)] : own;
}

/** A machine whose events and context hold everything that is secret. */
const indiscreet = setup({
  types: { context: {} as Record<string, unknown>, events: {} as { type: string; [field: string]: unknown } },
  actions: {
    keep: assign(({ event: { type: _, ...fields } }) => fields),
    tell: sendTo(({ self }) => self, { type: "told" }),
  },
}).createMachine({
  id: "indiscreet",
  initial: "open",
  context: {},
  states: { open: { on: { "secrets.told": { target: "told", actions: ["keep", "tell"] } } }, told: { entry: "tell" } },
});

const SECRETS = {
  url: "https://s3cret.example/1",
  options: { question: "s3cret 2", n: 1 },
  result: { content: "s3cret 3" },
  caller: { name: "s3cret 4" },
  error: new Error("s3cret 5"),
  hint: "s3cret 6",
  note: "s3cret 7",
  jobId: "https://s3cret.example/8",
  status: "s3cret 9 is a sentence",
  targets: [{ url: "s3cret 10" }],
  byHost: { "s3cret.example": 11 },
  deep: { deeper: { text: "s3cret 12" }, number: 12, code: "s3cret.example" },
};

function secretsSeen(reveal: readonly Revealable[]): string[] {
  const seen: InspectionEvent[] = [];
  const actor = createActor(indiscreet, { inspect: redacted((event) => void seen.push(event), { reveal }) }).start();
  actor.send({ type: "secrets.told", ...SECRETS, index: 3, live: true });
  expect(seen.filter(({ type }) => type === "@xstate.snapshot").length).toBeGreaterThan(2);
  expect(JSON.stringify(seen)).toContain('"index":3,"live":true');
  return [...new Set(reachable(seen).filter((text) => text.includes("s3cret")))].sort();
}

test("redacted: states, names, ids, counts and flags are passed on, and nothing else can be reached", () => {
  expect(secretsSeen([])).toEqual([]);
});

test.each([
  ["url", [SECRETS.url]],
  ["options", [SECRETS.options.question]],
  ["result", [SECRETS.result.content]],
  ["caller", [SECRETS.caller.name]],
  ["error", [SECRETS.error.message]],
  ["hint", [SECRETS.hint]],
] as const)("redacted: %s is passed on where it is revealed, and no other", (field, expected) => {
  expect(secretsSeen([field])).toEqual(expected);
});

test("redacted: a field to reveal that is none is refused, since a slip would look like privacy", () => {
  expect(() => redacted(() => {}, { reveal: ["urls" as Revealable] })).toThrow(RangeError);
});

test("redacted: an observer sees each actor, event and state of a run, under the same ids", async () => {
  const held = heldFetch();
  const seen: InspectionEvent[] = [];
  const { submit, runner } = await startRunner({
    fetch: held.fetch,
    inspect: redacted({ next: (event) => void seen.push(event) }),
  });
  await settled();
  const id = await submit("ann", "https://s3cret.example/");
  (await held.next()).succeed({ content: "s3cret" });
  await untilTerminal(runner, id);
  const job = seen.map(({ actorRef }) => actorRef as AnyActorRef).find((ref) => ref.id === "job")!;
  const states = seen.flatMap((event) =>
    event.type === "@xstate.snapshot" && event.actorRef === job ? [event.snapshot] : [],
  );
  const context = {
    jobId: id,
    place: 0,
    targetsTotal: 1,
    retryWaitMs: 2_000,
    targetsDone: 0,
    targetsFailed: 0,
    waitMs: 0,
  };
  const rest = { status: "active", output: undefined, error: undefined, children: {}, tags: [] };
  expect(states).toEqual([
    { ...rest, value: { queued: "ready" }, context: { ...context, wasRunning: false } },
    { ...rest, value: { queued: "starting" }, context: { ...context, wasRunning: false } },
    { ...rest, value: { running: "inFlight" }, context: { ...context, wasRunning: false } },
    { ...rest, status: "done", value: "done", context: { ...context, targetsDone: 1, wasRunning: false } },
  ]);
  expect(job._parent).toBe(seen.find(({ type }) => type === "@xstate.actor")?.actorRef);
  expect(reachable(seen).filter((text) => text.includes("s3cret"))).toEqual([]);
  const kinds = new Set(seen.map(({ type }) => type));
  expect([...kinds].sort()).toEqual([
    "@xstate.action",
    "@xstate.actor",
    "@xstate.event",
    "@xstate.microstep",
    "@xstate.snapshot",
  ]);
});

test("redacted: an observer cannot act on the runner through what it is given", async () => {
  const held = heldFetch();
  const inspect = redacted((event) => {
    const ref = event.actorRef as AnyActorRef;
    if (event.type !== "@xstate.snapshot") return;
    ref.send({ type: "scheduler.close" });
    ref.send({ type: "job.cancel" });
    Object.assign(event.snapshot, { status: "stopped", value: "cancelled" });
    Object.assign(Object(Reflect.get(event.snapshot, "value")), { running: "ready" });
  });
  const { submit, runner } = await startRunner({ fetch: held.fetch, inspect });
  const id = await submit("ann", "u:1", "u:2");
  (await held.next()).succeed();
  (await held.next()).succeed();
  expect((await untilTerminal(runner, id))?.status).toBe("done");
});

test.each([
  [
    "throws",
    () => {
      throw new Error("s3cret");
    },
  ],
  [
    "rejects",
    async () => {
      throw new Error("s3cret");
    },
  ],
  ["returns a hostile thenable", () => withThrowing({}, "then")],
])("R8: an observer that %s changes nothing, whoever calls it", async (_name, next) => {
  const seen: unknown[] = [];
  const inspect = redacted((event) => {
    seen.push(event);
    return next();
  });
  const actor = createActor(schedulerMachine, { input: { workers: 1 }, inspect }).start();
  actor.send({ type: "scheduler.close" });
  await settled();
  expect(actor.getSnapshot().value).toBe("closed");
  expect(seen.length).toBeGreaterThan(5);
});

/** How many fields are read of a scheduler's context for one event, and how large is what comes out. */
function costOfRotation(jobs: number): { reads: number; size: number } {
  let reads = 0;
  let size = 0;
  const scheduler = createActor(schedulerMachine, { input: { workers: 0 } }).start();
  for (let place = 0; place < jobs; place++) {
    const job = { sessionId: `x:${place}`, id: "job", send: () => {} } as never;
    scheduler.send({ type: "job.ready", place, jobId: `job-${place}`, job });
  }
  const watched = <T extends object>(value: T): T =>
    new Proxy(value, {
      get(target, key) {
        reads++;
        const inner = Reflect.get(target, key);
        return typeof inner === "object" && inner !== null ? watched(inner) : inner;
      },
    });
  const inspect = redacted((event) => {
    size = JSON.stringify(event).length;
  });
  const snapshot = watched(scheduler.getSnapshot());
  inspect({ type: "@xstate.snapshot", rootId: "x:0", actorRef: scheduler, event: { type: "e" }, snapshot });
  return { reads, size };
}

test("redacted: what an event costs does not grow with the jobs in the rotation", () => {
  const few = costOfRotation(10);
  const many = costOfRotation(10_000);
  expect(many.reads).toBe(few.reads);
  expect(many.size - few.size).toBeLessThan(10);
});
