import { describe, expect, test } from "vitest";
import { startSystem } from "../support/actor-system.js";
import { seededRandom } from "../support/seeded-random.js";

describe("R2: the three machines together", () => {
  test("one worker, two jobs: a1 b1 a2 b2 a3 b3", () => {
    const { submit, turns, log, ends } = startSystem(1);
    submit("a", 3);
    submit("b", 3);

    for (let turn = 0; turn < 6; turn++) turns[0]?.settle("ok");

    expect(log).toEqual(["a1", "b1", "a2", "b2", "a3", "b3"]);
    expect([...ends]).toEqual([
      ["a", ["done"]],
      ["b", ["done"]],
    ]);
  });

  test("jobs a b c, and d submitted while a1 is in flight: a1 b1 c1 d1 a2", () => {
    const { submit, turns, log } = startSystem(1);
    for (const id of ["a", "b", "c"]) submit(id, 2);
    submit("d", 2);

    for (let turn = 0; turn < 4; turn++) turns[0]?.settle("ok");

    expect(log).toEqual(["a1", "b1", "c1", "d1", "a2"]);
  });

  test("d submitted when a1 was just stored: a1 b1 c1 d1 a2", () => {
    const { submit, turns, log } = startSystem(1);
    for (const id of ["a", "b", "c"]) submit(id, 2);
    turns[0]?.settle("ok");
    submit("d", 2);

    for (let turn = 0; turn < 3; turn++) turns[0]?.settle("ok");

    expect(log).toEqual(["a1", "b1", "c1", "d1", "a2"]);
  });

  test("two workers and one job: the second worker has nothing to do, for a job is serial", () => {
    const { submit, turns, log } = startSystem(2);
    submit("a", 2);
    expect(turns.length).toBe(1);

    submit("b", 1);
    expect(log).toEqual(["a1", "b1"]);
    turns[1]?.settle("ok");
    expect(turns.map(({ id, index }) => [id, index])).toEqual([["a", 0]]);
    turns[0]?.settle("ok");
    expect(log).toEqual(["a1", "b1", "a2"]);
  });

  test("R3: a target to be tried later costs its job the wait and the others nothing", () => {
    const { submit, turns, log, clock } = startSystem(1);
    for (const id of ["a", "b", "c"]) submit(id, 2);

    turns[0]?.settle("later");
    turns[0]?.settle("ok");
    turns[0]?.settle("ok");
    clock.increment(500);
    turns[0]?.settle("ok");
    turns[0]?.settle("ok");

    expect(log).toEqual(["a1", "b1", "c1", "b2", "c2", "a1"]);
  });

  test.each([7, 8, 9])(
    "through 3,000 random events: serial, no worker idle beside a ready job, one end a job (seed %i)",
    (seed) => {
      const random = seededRandom(seed);
      const workers = 1 + (seed % 3);
      const { scheduler, clock, turns, ends, stored, submit, cancel } = startSystem(workers);
      const jobs = new Map<string, ReturnType<typeof submit>>();
      const check = () => {
        expect(new Set(turns.map(({ id }) => id)).size).toBe(turns.length);
        expect(new Set(turns.map(({ worker }) => worker)).size).toBe(turns.length);
        for (const { id, index } of turns) expect(index).toBe(stored.get(id) ?? 0);
        const { rotation, idleWorkers } = scheduler.getSnapshot().context;
        expect(rotation.ready === undefined || idleWorkers.length === 0).toBe(true);
        expect(turns.length + idleWorkers.length).toBe(workers);
        expect(Math.max(0, ...[...ends.values()].map((end) => end.length))).toBeLessThanOrEqual(1);
      };

      for (let step = 0; step < 3_000; step++) {
        const choice = random(20);
        const [id, job] = [...jobs].at(-1 - random(Math.min(jobs.size, 6))) ?? [];
        if (choice < 3) jobs.set(`j${step}`, submit(`j${step}`, 1 + random(5)));
        else if (choice < 4 && id !== undefined && job !== undefined && !ends.has(id)) cancel(id, job);
        else if (choice < 7) clock.increment(random(400));
        else turns[random(turns.length)]?.settle((["ok", "ok", "failed", "later"] as const)[random(4)] ?? "ok");
        check();
      }
      for (let round = 0; round < 20_000 && (turns.length > 0 || clock.pending > 0); round++) {
        clock.increment(500);
        for (const turn of [...turns]) turn.settle("ok");
      }

      check();
      expect(new Set([...ends.values()].flat())).toEqual(new Set(["done", "not done", "cancelled"]));
      expect(ends.size).toBe(jobs.size);
      for (const job of jobs.values()) expect(job.getSnapshot().status).toBe("done");
    },
  );
});
