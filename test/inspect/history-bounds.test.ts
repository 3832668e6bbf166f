import { expect, test } from "vitest";
import { createLocalInspector } from "../../src/inspect/index.js";
import { RunnerHistory } from "../../src/inspect/runner-history.js";
import { startSystem } from "../support/actor-system.js";
import { startRunner } from "../support/runner.js";

const LIMITS = { events: 50, spans: 30, jobs: 5 };

/** An actor system alone, without a runner: quick, and watched by a history that the test asks. */
function watchedSystem(workers = 1) {
  let nowMs = 0;
  const history = new RunnerHistory(LIMITS, () => nowMs++);
  const system = startSystem(workers, (event) => history.note(event));
  const settleAll = () => {
    for (let turn = system.turns[0]; turn !== undefined; turn = system.turns[0]) turn.settle("ok");
  };
  return { history, system, settleAll };
}

test("inspector: of a long run the newest events, phases and ended jobs are kept, and no more", () => {
  const { history, system, settleAll } = watchedSystem();
  for (let number = 0; number < 200; number++) {
    system.submit(`job-${number}`, 3);
    settleAll();
  }
  const { events, spans, jobs, actors, jobStates } = history.hello();
  expect([events!.length, spans!.length, jobs!.length]).toEqual([50, 30, 5]);
  expect(jobs!.map(({ id, status }) => `${id} ${status}`)).toEqual(
    [195, 196, 197, 198, 199].map((n) => `job-${n} done`),
  );
  expect(actors!.map(({ name }) => name).sort()).toEqual(["scheduler", "worker-1"]);
  expect(jobStates).toEqual({ done: 200 });
  expect(spans!.at(-1)).toMatchObject({ jobId: "job-199", index: 2, phase: "storing" });
  expect(events!.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, index) => events![0]!.id + index));
});

test("inspector: what a message leaves out is counted; who is told of a phase is told of its end", () => {
  const { history, system, settleAll } = watchedSystem(3);
  history.watch(() => {});
  for (const id of ["a", "b", "c"]) system.submit(id, 1_000);
  const opened = history.hello().spans!.filter(({ toMs }) => toMs === undefined);
  expect(opened.map(({ jobId }) => jobId).sort()).toEqual(["a", "b", "c"]);
  settleAll();
  const { omitted, spans, events } = history.update();
  expect(events!.length).toBe(50);
  expect(spans!.length).toBe(303);
  expect(omitted!.spans).toBeGreaterThan(5_000);
  expect(omitted!.events).toBeGreaterThan(5_000);
  const ends = spans!.filter(({ id, toMs }) => opened.some((span) => span.id === id) && toMs !== undefined);
  expect(ends.length).toBe(3);
  expect(history.update()).toEqual({ nowMs: expect.any(Number) });
});

test("inspector: jobs that the history holds no more leave, but for those that nobody was told of", () => {
  const { history, system, settleAll } = watchedSystem();
  history.watch(() => {});
  system.submit("first", 1);
  settleAll();
  expect(history.hello().jobs!.map(({ id }) => id)).toEqual(["first"]);
  for (let number = 0; number < 20; number++) {
    system.submit(`job-${number}`, 1);
    settleAll();
  }
  const { jobs, goneJobs, gone } = history.update();
  expect(jobs!.map(({ id }) => id)).toEqual([15, 16, 17, 18, 19].map((n) => `job-${n}`));
  expect([goneJobs, gone]).toEqual([["first"], undefined]);
});

test("inspector: of 1,000 ready jobs, those around the cursor are told, and how many there are", () => {
  const { history, system } = watchedSystem();
  for (let number = 0; number < 1_001; number++) system.submit(`job-${number}`, 2);
  const rotation = () => history.hello().rotation!;
  const ends = () => [rotation().ready[0]?.place, rotation().ready.length, rotation().ready.at(-1)?.place];
  expect([...ends(), rotation().readyTotal, rotation().lastJobId]).toEqual([1, 200, 200, 1_000, "job-0"]);
  for (let turn = 0; turn < 500; turn++) system.turns[0]!.settle("ok");
  expect([...ends(), rotation().readyTotal, rotation().lastJobId]).toEqual([400, 200, 600, 1_000, "job-500"]);
  for (let turn = 0; turn < 500; turn++) system.turns[0]!.settle("ok");
  expect([...ends(), rotation().readyTotal, rotation().lastPlace]).toEqual([800, 200, 999, 1_000, 1_000]);
});

test("inspector: a history that is closed holds nothing, and notes nothing", async () => {
  const inspector = createLocalInspector();
  await inspector.close();
  const { submit, runner } = await startRunner({ fetch: () => ({ content: "" }), inspect: inspector.inspect });
  await submit("ann", "u:1");
  await runner.idle();
  await expect(inspector.listen()).rejects.toThrow("the inspector is closed");
  const { history, system } = watchedSystem();
  system.submit("a", 1);
  history.forget();
  expect(history.hello()).toMatchObject({ actors: [], events: [], spans: [], jobs: [], jobStates: {} });
});

test.each([
  ["port", { port: 65_536 }],
  ["port", { port: -1 }],
  ["history.events", { history: { events: 0 } }],
  ["history.spans", { history: { spans: 1.5 } }],
  ["history.jobs", { history: { jobs: Number.NaN } }],
  ["reveal", { reveal: ["url", "urls"] as never }],
])("inspector: a bad %s is refused by name", (name, options) => {
  expect(() => createLocalInspector(options)).toThrow(name);
  expect(() => createLocalInspector(options)).toThrow(RangeError);
});

test.each([
  ["host", { host: "" }],
  ["host", { host: 1 as never }],
  ["store", { store: {} as never }],
  ["store", { store: null as never }],
])("inspector: a %s that is none is refused by name, and nothing listens", (name, options) => {
  expect(() => createLocalInspector(options)).toThrow(name);
  expect(() => createLocalInspector(options)).toThrow(TypeError);
});
