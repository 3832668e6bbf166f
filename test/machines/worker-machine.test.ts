import { describe, expect, test } from "vitest";
import { workerMachine } from "../../src/machines/worker-machine.js";
import { startWorker } from "../support/machine-actors.js";
import { transitionName, transitionsOf } from "../support/machine-transitions.js";
import {
  type Answer,
  asks,
  deferred,
  faulted,
  first,
  later,
  nextTable,
  noTurn,
  over,
  refused,
  startStoring,
  startTurn,
  stored,
  storedBegun,
  table,
  tryLater,
  unsaved,
  unstarted,
  type WorkerState,
  wayTo,
} from "../support/worker-steps.js";

describe("R2, R3: a worker", () => {
  test("announces that it is idle as it starts, and has no job", () => {
    const { worker, said, state } = startWorker();

    expect({ state: state(), said, context: worker.getSnapshot().context }).toEqual({
      state: "idle",
      said: ["announceIdle  -1 0"],
      context: noTurn,
    });
  });

  test("a turn begins with marking the target as started: nothing is fetched before that is answered", () => {
    const { said, state } = startTurn();

    expect({ state: state(), said }).toEqual({ state: "starting", said: ["announceIdle  -1 0", "startTarget a -1 0"] });
  });

  test.each(table.map((row) => [`${row[0]}, ${JSON.stringify(row[1])}: ${row[2]}`, ...row] as const))(
    "%s",
    (_name, from, answer, to, says) => {
      const { run, said, state } = startTurn(...wayTo[from]);
      said.length = 0;

      run(answer);

      expect({ state: state(), said }).toEqual({ state: to, said: says });
    },
  );

  test("the table leaves out no transition", () => {
    const seen = table.flatMap(([from, answer]) => {
      const { run, transitions } = startTurn(...wayTo[from]);
      run(answer);
      return transitions.map(({ transition }) => transitionName(transition));
    });
    for (const [, next, answer] of nextTable) {
      const { run, transitions } = startStoring(next);
      run(answer);
      seen.push(...transitions.map(({ transition }) => transitionName(transition)));
    }

    expect(transitionsOf(workerMachine).filter((name) => !seen.includes(name))).toEqual([]);
  });

  test("an effect's answer that does not belong to the state changes nothing", () => {
    const all = [first, later, faulted, refused, unstarted, unsaved, stored, storedBegun, deferred, over, tryLater];
    const belongs: Record<WorkerState, Answer[]> = {
      idle: [],
      starting: [first, later, faulted, refused, unstarted],
      fetching: [over, tryLater],
      storing: [stored, storedBegun, unsaved],
      deferring: [deferred, unsaved],
    };
    for (const [from, answers] of Object.entries({ ...wayTo, idle: [later, over, stored] })) {
      const { run, said, state } = startTurn(...answers);
      said.length = 0;

      run(...all.filter((answer) => !belongs[from as WorkerState].includes(answer)));

      expect({ state: state(), said }).toEqual({ state: from, said: [] });
    }
  });

  test("has one target at a time: while it has a turn it takes no other, and notes one only where it has asked", () => {
    const noted = Object.entries(wayTo).map(([from, answers]) => {
      const { run, said, worker, other } = startTurn(...answers);
      said.length = 0;

      run({ type: "worker.take", place: 5, job: other, jobId: "b" });

      const { jobId, next } = worker.getSnapshot().context;
      expect({ said, jobId }).toEqual({ said: [], jobId: "a" });
      return [from, next?.jobId];
    });

    expect(noted).toEqual(Object.keys(wayTo).map((from) => [from, from === "storing" ? "b" : undefined]));
  });

  test("tells the job of its turn and nobody else, and forgets it with the end of the turn", () => {
    const { worker, run, said, other } = startTurn(first, over, stored);

    expect(worker.getSnapshot().context).toEqual(noTurn);
    run({ type: "worker.take", place: 5, job: other, jobId: "b" }, later, tryLater, deferred);

    expect(said).toEqual([
      "announceIdle  -1 0",
      "startTarget a -1 0",
      "fetchTarget a 0 1",
      "job a <- target.started index=0 attempt=1 first=true",
      "storeTarget a 0 1",
      asks("hasMore=true"),
      "announceIdle a 0 1",
      "job a <- target.stored failed=false live=true",
      "startTarget b -1 0",
      "fetchTarget b 4 2",
      "deferTarget b 4 2",
      "announceIdle b 4 2",
      "job b <- target.deferred waitMs=500 live=true",
    ]);
  });

  test("sets no timer of its own", () => {
    for (const answers of Object.values(wayTo)) expect(startTurn(...answers).clock.pending).toBe(0);
  });
});
