import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/index.js";
import { schedulerMachine } from "../../src/machines/scheduler-machine.js";
import { settled } from "../../src/testing/index.js";
import { isLongRun } from "../support/long-run.js";
import { uncovered } from "../support/machine-transitions.js";
import { coveringWalks, type Walk } from "./covering-walks.js";
import { type TurnMove, turnMoves } from "./turn-moves.js";
import { idleRunner, rotationOf, type TurnStanding, turnKey, workerNumbers } from "./turn-standing.js";
import { TurnWorld } from "./turn-world.js";

const LONGEST_WALK = 60;
const SIZES = isLongRun
  ? [
      { workers: 1, jobs: 3, targets: 2 },
      { workers: 2, jobs: 3, targets: 2 },
    ]
  : [
      { workers: 1, jobs: 3, targets: 1 },
      { workers: 1, jobs: 2, targets: 2 },
      { workers: 2, jobs: 3, targets: 1 },
      { workers: 2, jobs: 2, targets: 2 },
    ];
const seen = { states: new Set<string>(), transitions: new Set<string>() };

/** Each move is made once for each rotation; in a long run in each standing of the jobs too, where those are not too many. */
function label(at: TurnStanding, { name }: TurnMove): string {
  const { value, ready, lastPlace, idle } = rotationOf(at.scheduler);
  return `${isLongRun && at.sizes.workers === 1 ? turnKey(at) : `${value} ${ready} ${lastPlace} ${idle}`} ${name}`;
}

async function follow(world: TurnWorld, walk: Walk<TurnStanding, TurnMove>): Promise<void> {
  const way: string[] = [];
  for (const { edge, before, after } of walk) {
    way.push(edge.name);
    await edge.make(world, before);
    await settled();
    const fetched = workerNumbers(after)
      .flatMap((number) => after.workers[number] ?? [])
      .sort();
    const real = { ...rotationOf(world.schedulerNow()), fetched: world.inFlight() };
    expect(real, way.join(", ")).toEqual({ ...rotationOf(after.scheduler), fetched });
  }
}

describe("every path that a real runner can take its scheduler", () => {
  test.each(SIZES)(
    "R2: with $workers workers and $jobs jobs of $targets targets the turns are what the definition says after every move",
    async (sizes) => {
      const graph = { start: idleRunner(sizes), edgesOf: turnMoves, key: turnKey, label };
      const { walks, standings, edges, labels } = coveringWalks(graph, LONGEST_WALK);
      const store = await openSqliteStore(":memory:");
      let steps = 0;
      for (const walk of walks) {
        const world = await TurnWorld.start(store, sizes, seen);
        await follow(world, walk);
        await world.end();
        steps += walk.length;
      }
      await store.close();
      const counted = `${standings} standings, ${edges} moves of ${labels} kinds`;
      console.info(`${JSON.stringify(sizes)}: ${counted}: ${walks.length} walks of ${steps} steps`);
    },
    isLongRun ? 900_000 : 60_000,
  );

  test("reaches every state and takes every transition of the scheduler", () => {
    expect(uncovered(schedulerMachine, seen)).toEqual({ states: [], transitions: [] });
  });
});
