import { describe, expect, test } from "vitest";
import { createActor, fromCallback } from "xstate";
import { workerMachine } from "../../src/machines/worker-machine.js";
import { startListener } from "../support/machine-actors.js";
import { later, nextTable, over, startStoring } from "../support/worker-steps.js";

describe("R2: the turn that a worker is given as it stores", () => {
  test.each(nextTable)("%s", (_name, next, answer, to, says) => {
    const { run, said, state, worker } = startStoring(next);

    run(answer);

    expect({ state: state(), said }).toEqual({ state: to, said: says });
    const { jobId, place, index, attempt } = worker.getSnapshot().context;
    const turn = to === "idle" ? ["", -1] : [next, next === "a" ? 3 : 5];
    const target = to === "fetching" ? [7, 3] : [-1, 0];
    expect([jobId, place, index, attempt]).toEqual([...turn, ...target]);
    expect(worker.getSnapshot().context.next).toBeUndefined();
  });

  test("asks with the turn that it has, so that its job can stand in its place", () => {
    const asked: unknown[] = [];
    const parent = createActor(fromCallback(({ receive }) => receive((event) => void asked.push(event)))).start();
    const worker = createActor(workerMachine, { parent }).start();
    const { actor: job } = startListener([], "job a");

    for (const event of [{ type: "worker.take", place: 3, jobId: "a", job } as const, later, over]) worker.send(event);

    expect(asked).toEqual([{ type: "worker.asking", worker, turn: { place: 3, jobId: "a", job }, hasMore: true }]);
  });
});
