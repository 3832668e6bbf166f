import { describe, expect, test } from "vitest";
import { type WorkerEvent, workerMachine } from "../../src/machines/worker-machine.js";
import { startWorker } from "../support/machine-actors.js";
import { transitionName, transitionsOf } from "../support/machine-transitions.js";

type WorkerState = "idle" | "starting" | "fetching" | "storing" | "deferring";
type Answer = Exclude<WorkerEvent, { type: "worker.take" }>;

const first: Answer = { type: "target.started", index: 0, attempt: 1, first: true };
const later: Answer = { type: "target.started", index: 4, attempt: 2, first: false };
const faulted: Answer = { type: "target.faulted" };
const refused: Answer = { type: "target.refused" };
const unstarted: Answer = { type: "target.unstarted" };
const unsaved: Answer = { type: "target.unsaved" };
const stored: Answer = { type: "target.stored", failed: false, live: true };
const storedGone: Answer = { type: "target.stored", failed: true, live: false };
const deferred: Answer = { type: "target.deferred", waitMs: 500, live: true };
const over: Answer = { type: "fetch.settled", outcome: "over" };
const tryLater: Answer = { type: "fetch.settled", outcome: "later" };

/** How a worker that has taken a turn of job a gets into each state. */
const wayTo: Record<Exclude<WorkerState, "idle">, Answer[]> = {
  starting: [],
  fetching: [later],
  storing: [later, over],
  deferring: [later, tryLater],
};

/** From, what its effect answers, to, what is said: each effect with job, index and attempt; what the job is told. */
const table: [from: keyof typeof wayTo, answer: Answer, to: WorkerState, says: string[]][] = [
  ["starting", first, "fetching", ["fetchTarget a 0 1", "job a <- target.started index=0 attempt=1 first=true"]],
  ["starting", later, "fetching", ["fetchTarget a 4 2"]],
  ["starting", faulted, "storing", ["storeTarget a -1 0"]],
  ["starting", refused, "idle", ["announceIdle a -1 0", "job a <- target.refused"]],
  ["starting", unstarted, "idle", ["announceIdle a -1 0", "job a <- target.unstarted"]],
  ["fetching", over, "storing", ["storeTarget a 4 2"]],
  ["fetching", tryLater, "deferring", ["deferTarget a 4 2"]],
  ["storing", stored, "idle", ["announceIdle a 4 2", "job a <- target.stored failed=false live=true"]],
  ["storing", storedGone, "idle", ["announceIdle a 4 2", "job a <- target.stored failed=true live=false"]],
  ["storing", unsaved, "idle", ["announceIdle a 4 2", "job a <- target.unsaved"]],
  ["deferring", deferred, "idle", ["announceIdle a 4 2", "job a <- target.deferred waitMs=500 live=true"]],
  ["deferring", unsaved, "idle", ["announceIdle a 4 2", "job a <- target.unsaved"]],
];

function startTurn(...answers: Answer[]) {
  const under = startWorker();
  const { job, run } = under;
  run({ type: "worker.take", job, jobId: "a" }, ...answers);
  return under;
}

describe("R2, R3: a worker", () => {
  test("announces that it is idle as it starts, and has no job", () => {
    const { worker, said, state } = startWorker();

    expect({ state: state(), said, context: worker.getSnapshot().context }).toEqual({
      state: "idle",
      said: ["announceIdle  -1 0"],
      context: { job: undefined, jobId: "", index: -1, attempt: 0 },
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

    expect(transitionsOf(workerMachine).filter((name) => !seen.includes(name))).toEqual([]);
  });

  test("an effect's answer that does not belong to the state changes nothing", () => {
    const all = [first, later, faulted, refused, unstarted, unsaved, stored, deferred, over, tryLater];
    const belongs: Record<WorkerState, Answer[]> = {
      idle: [],
      starting: [first, later, faulted, refused, unstarted],
      fetching: [over, tryLater],
      storing: [stored, unsaved],
      deferring: [deferred, unsaved],
    };
    for (const [from, answers] of Object.entries({ ...wayTo, idle: [later, over, stored] })) {
      const { run, said, state } = startTurn(...answers);
      said.length = 0;

      run(...all.filter((answer) => !belongs[from as WorkerState].includes(answer)));

      expect({ state: state(), said }).toEqual({ state: from, said: [] });
    }
  });

  test("has one target at a time: while it has a turn it takes no other", () => {
    for (const answers of Object.values(wayTo)) {
      const { run, said, worker, other } = startTurn(...answers);
      said.length = 0;

      run({ type: "worker.take", job: other, jobId: "b" });

      expect({ said, jobId: worker.getSnapshot().context.jobId }).toEqual({ said: [], jobId: "a" });
    }
  });

  test("tells the job of its turn and nobody else, and forgets it with the end of the turn", () => {
    const { worker, run, said, other } = startTurn(first, over, stored);

    expect(worker.getSnapshot().context).toEqual({ job: undefined, jobId: "", index: -1, attempt: 0 });
    run({ type: "worker.take", job: other, jobId: "b" }, later, tryLater, deferred);

    expect(said).toEqual([
      "announceIdle  -1 0",
      "startTarget a -1 0",
      "fetchTarget a 0 1",
      "job a <- target.started index=0 attempt=1 first=true",
      "storeTarget a 0 1",
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
