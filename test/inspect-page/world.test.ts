import { expect, test } from "vitest";
import { EVENTS_MAX, SPANS_MAX, World } from "../../src/inspect/page/world.js";
import type { Hello } from "../../src/inspect/protocol.js";
import { event, job, jobActor, jobId, runnerActors, span } from "./views.js";

const HELLO: Hello = { source: "runner", machines: {}, nowMs: 0 };

test("what is told again replaces what was told; what is gone is forgotten, but for the job's row", () => {
  const world = new World();
  world.greet({ ...HELLO, actors: [...runnerActors(), jobActor(0)], jobs: [job(0)] });
  world.update({
    nowMs: 5,
    actors: [jobActor(0, { active: ["done"] })],
    jobs: [job(0, { status: "done", targetsDone: 4 })],
  });
  expect(world.jobActor(jobId(0))?.active).toEqual(["done"]);
  world.update({ nowMs: 6, gone: ["j0"] });

  expect([world.nowMs, world.actors.size, world.staff.size, world.jobActor(jobId(0))]).toEqual([6, 2, 2, undefined]);
  expect(world.jobs.get(jobId(0))?.status).toBe("done");
  expect(world.actorIdOf({ jobId: jobId(0) })).toBe("j0");
  world.update({ nowMs: 7, goneJobs: [jobId(0)] });
  expect([world.jobs.size, world.totals]).toEqual([0, { ended: 0, targetsTotal: 0, targetsDone: 0, targetsFailed: 0 }]);
});

test("totals are those of the jobs told last, whatever order things were told in", () => {
  const world = new World();
  world.greet({ ...HELLO, jobs: [job(0), job(1, { status: "running", targetsDone: 1, targetsFailed: 1 })] });
  world.update({ nowMs: 1, jobs: [job(1, { status: "partial", targetsDone: 4, targetsFailed: 2 }), job(2)] });
  world.update({ nowMs: 2, jobs: [job(0, { status: "cancelled" })], goneJobs: [jobId(2), "unknown"] });

  expect(world.totals).toEqual({ ended: 2, targetsTotal: 8, targetsDone: 4, targetsFailed: 2 });
});

test("a greeting forgets all that was known before it", () => {
  const world = new World();
  world.greet({
    ...HELLO,
    actors: [jobActor(0)],
    jobs: [job(0)],
    events: [event(1, "job.ready")],
    spans: [span(1, 0)],
  });
  world.update({ nowMs: 1, jobStates: { "queued.ready": 1 }, omitted: { events: 1, spans: 1 } });
  const { membership } = world;
  world.greet({ ...HELLO, nowMs: 9 });

  expect(world).toMatchObject({ nowMs: 9, jobStates: {}, rotation: undefined, omitted: { events: 0, spans: 0 } });
  expect([world.actors.size, world.jobs.size, world.events.length, world.spans.size]).toEqual([0, 0, 0, 0]);
  expect([world.jobActor(jobId(0)), world.totals.targetsTotal]).toEqual([undefined, 0]);
  expect(world.membership).toBeGreaterThan(membership);
});

test("lists are made anew only where something came, went, or ended", () => {
  const world = new World();
  world.greet({ ...HELLO, actors: [jobActor(0)], jobs: [job(0)] });
  const { membership } = world;
  world.update({
    nowMs: 1,
    actors: [jobActor(0, { active: ["running.ready"] })],
    jobs: [job(0, { status: "running" })],
  });
  expect(world.membership).toBe(membership);
  world.update({ nowMs: 2, jobs: [job(0, { status: "done" })] });
  expect(world.membership).toBe(membership + 1);
});

test("a greeting with as many events as a runner's history may hold is taken in", () => {
  const world = new World();
  world.greet({ ...HELLO, events: Array.from({ length: 1_000_000 }, (_, id) => event(id, "tick.tock")) });
  expect([world.events.length, world.events.at(-1)?.id, world.eventsSeen]).toEqual([EVENTS_MAX, 999_999, 1_000_000]);
});

test("however long it looks on, a bounded number of events and phases is kept, the newest", () => {
  const world = new World();
  world.greet(HELLO);
  for (let round = 0; round < 300; round++) {
    const ids = Array.from({ length: 100 }, (_, index) => round * 100 + index);
    world.update({
      nowMs: round,
      events: ids.map((id) => event(id, "tick.tock")),
      spans: ids.map((id) => span(id, id)),
    });
    expect(world.events.length).toBeLessThanOrEqual(2 * EVENTS_MAX);
  }

  expect([world.spans.size, [...world.spans.keys()].at(0), world.events.at(-1)?.id]).toEqual([
    SPANS_MAX,
    10_000,
    29_999,
  ]);
});
