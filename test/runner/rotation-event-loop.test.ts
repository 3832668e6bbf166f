import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Result } from "../../src/index.js";
import { startRunner } from "../support/runner.js";

const TARGETS = 1_000;
const targets = (job: string) => Array.from({ length: TARGETS }, (_, index) => `${job}${index}`);

/** Counts the turns of the event loop, one immediate a turn. */
function countTurns(): () => number {
  let turns = 0;
  let counting = true;
  const turn = () => {
    turns++;
    if (counting) setImmediate(turn);
  };
  setImmediate(turn);
  onTestFinished(() => {
    counting = false;
  });
  return () => turns;
}

describe.each<[string, () => Result | Promise<Result>]>([
  ["answers at once", () => ({ content: "" })],
  ["answers with a resolved promise", async () => ({ content: "" })],
  [
    "throws at once",
    () => {
      throw new Error("nope");
    },
  ],
])("R2: a fetch that %s, 2,000 times", (_name, answer) => {
  test("the event loop turns between any two of them, and a timer of the host keeps firing", async () => {
    const turns = countTurns();
    const seen: number[] = [];
    const { runner, submit } = await startRunner({
      targetsPerJob: TARGETS,
      fetch: () => {
        seen.push(turns());
        return answer();
      },
    });
    await Promise.all([submit("a", ...targets("a")), submit("b", ...targets("b"))]);
    const idle = runner.idle();
    // One timer after another: were they starved, the first would fire when all is over.
    for (let nap = 0; nap < 3; nap++) await sleep(1);
    const fetchesAfterNaps = seen.length;
    await idle;
    const withoutTurn = seen.filter((turn, index) => index > 0 && turn === seen[index - 1]);
    expect({ fetches: seen.length, withoutTurn }).toEqual({ fetches: 2 * TARGETS, withoutTurn: [] });
    expect(fetchesAfterNaps).toBeLessThan(2 * TARGETS);
  });
});

test("R2: two workers at once leave the event loop its turns as well", async () => {
  const turns = countTurns();
  const seen = new Map<string, number[]>();
  const { runner, submit } = await startRunner({
    workers: 2,
    targetsPerJob: TARGETS,
    fetch: (_target, { jobId }) => {
      seen.set(jobId, [...(seen.get(jobId) ?? []), turns()]);
      return { content: "" };
    },
  });
  await Promise.all([submit("a", ...targets("a").slice(0, 200)), submit("b", ...targets("b").slice(0, 200))]);
  await runner.idle();
  const withoutTurn = [...seen.values()].map((at) => at.filter((turn, index) => index > 0 && turn === at[index - 1]));
  expect(withoutTurn).toEqual([[], []]);
});
