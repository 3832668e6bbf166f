import { afterAll, describe, expect, test, vi } from "vitest";
import { jobMachine } from "../../src/machines/job-machine.js";
import { workerMachine } from "../../src/machines/worker-machine.js";
import { settled } from "../../src/testing/index.js";
import { isLongRun } from "../support/long-run.js";
import { stateName } from "../support/machine-actors.js";
import { uncovered } from "../support/machine-transitions.js";
import { coveringWalks, type Walk } from "./covering-walks.js";
import { commitsOfOthers, type Move, movesFrom } from "./job-moves.js";
import { moveLabel, pairedIfAlone, type Scope, type Standing, standingKey, submitted } from "./job-standing.js";
import { JobWorld } from "./job-world.js";

const LONGEST_WALK = 60;
const WALKS_OF_A_RUNNER = 40;

const nothing = () => ({ states: new Set<string>(), transitions: new Set<string>() });
const seen = { job: nothing(), worker: nothing(), scheduler: nothing() };

/** How it stands by the definitions, as `realStanding` reads it off the actors, the store, the rows, the hooks and a watch. */
function pureStanding(at: Standing) {
  const { job, worker, rows, told, watched } = at;
  const { targetsDone, targetsFailed, waitMs } = job.context;
  return {
    job: stateName(job),
    counts: [targetsDone, targetsFailed, waitMs],
    worker: stateName(worker),
    asked: at.asked,
    rows,
    told,
    watched,
  };
}

function realStanding(world: JobWorld): ReturnType<typeof pureStanding> {
  const { state, context } = world.jobNow();
  const { watched } = world;
  return {
    job: state,
    counts: [context.targetsDone, context.targetsFailed, context.waitMs],
    worker: world.workerNow(),
    asked: world.asked,
    rows: world.rows(),
    told: world.told,
    watched: `${watched?.status} ${watched?.targetsDone} ${watched?.targetsFailed}`,
  };
}

async function follow(world: JobWorld, walk: Walk<Standing, Move>): Promise<void> {
  const way: string[] = [];
  for (const { edge, before, after } of walk) {
    way.push(edge.name);
    const earlier = world.commits();
    await edge.make(world, before);
    await settled();
    const later = world.commits();
    expect({ ...realStanding(world), commits: later - earlier }, way.join(", ")).toEqual({
      ...pureStanding(after),
      commits: edge.commits(before) + commitsOfOthers(edge, before, after),
    });
  }
}

const SCOPES: (Scope & { each: "standing" | "state" })[] = isLongRun
  ? [
      { targetsTotal: 1, maxRestarts: 1, plain: false, alone: false, each: "standing" },
      { targetsTotal: 2, maxRestarts: 0, plain: false, alone: false, each: "standing" },
      { targetsTotal: 2, maxRestarts: 1, plain: false, alone: false, each: "state" },
      { targetsTotal: 3, maxRestarts: 2, plain: true, alone: false, each: "state" },
      { targetsTotal: 2, maxRestarts: 1, plain: false, alone: true, each: "standing" },
      { targetsTotal: 3, maxRestarts: 1, plain: false, alone: true, each: "state" },
    ]
  : [
      { targetsTotal: 1, maxRestarts: 1, plain: false, alone: false, each: "state" },
      { targetsTotal: 2, maxRestarts: 0, plain: false, alone: false, each: "state" },
      { targetsTotal: 2, maxRestarts: 1, plain: true, alone: false, each: "state" },
      { targetsTotal: 2, maxRestarts: 1, plain: false, alone: true, each: "state" },
      { targetsTotal: 3, maxRestarts: 0, plain: true, alone: true, each: "state" },
    ];

/** A short run makes each move once in each state of the actors, whatever the windows, the rows and the held outcomes are. */
const labels = {
  standing: (at: Standing, { name }: Move) => `${standingKey(at)} ${name}`,
  state: moveLabel,
};

/** Where xstate complains, in its development build. */
const warnings = vi.spyOn(console, "warn");
afterAll(() => warnings.mockRestore());

describe("every path that a real runner can take a job", () => {
  test.each(SCOPES)(
    "R4, R5, R8: with $targetsTotal targets and $maxRestarts restarts (alone: $alone): the actors follow the definitions, and each change is one transaction before it is told",
    async ({ each, ...scope }) => {
      const graph = {
        start: pairedIfAlone(submitted(scope)),
        edgesOf: movesFrom,
        key: standingKey,
        label: labels[each],
      };
      const { walks, ...sizes } = coveringWalks(graph, LONGEST_WALK);
      let steps = 0;
      for (let first = 0; first < walks.length; first += WALKS_OF_A_RUNNER) {
        const world = await JobWorld.start(seen, scope.alone);
        for (const walk of walks.slice(first, first + WALKS_OF_A_RUNNER)) {
          await world.submit(scope.targetsTotal);
          await follow(world, walk);
          await world.endJob();
          steps += walk.length;
        }
        await world.end();
      }
      console.info(`${JSON.stringify({ ...scope, ...sizes })}: ${walks.length} walks of ${steps} steps`);
    },
    isLongRun ? 900_000 : 60_000,
  );

  test("R8: no actor is sent anything after its end: each effect answers once", () => {
    expect(warnings).not.toHaveBeenCalled();
  });

  test("reaches every state and takes every transition of the job and of the worker", () => {
    expect([uncovered(jobMachine, seen.job), uncovered(workerMachine, seen.worker)]).toEqual([
      { states: [], transitions: [] },
      { states: [], transitions: [] },
    ]);
  });
});
