import { describe, expect, test } from "vitest";
import type { Clock } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { HOUR_MS, startLife, targetRows, type WatchedClock, wallOnly, YEAR_MS } from "./life-on-clock.js";
import { LIVES } from "./lives.js";

const STEPS: [string, number][] = [
  ["12 hours back", -12 * HOUR_MS],
  ["a year forward", YEAR_MS],
];
const TABLE = LIVES.flatMap((life) => STEPS.map(([step, stepMs]) => ({ ...life, step, stepMs })));

const wallAndMonotonic = (clock: WatchedClock): Clock => clock;
/** All that a runner says, and its rows, over a life in which the wall clock is set once. */
async function lifeWith(
  { live, config }: (typeof LIVES)[number],
  stepMs: number,
  clockOf: (clock: WatchedClock) => Clock,
) {
  const life = await startLife(config ?? {}, clockOf);
  const { runner, clock, raw, said } = life;
  await live(life, () => {
    clock.wallMs += stepMs;
  });
  await settled();
  const rows = targetRows(raw);
  const [timers, waits] = [clock.timers, clock.waits];
  const closed = runner.close({ timeoutMs: 1 });
  clock.jump(1);
  await closed;
  return { said, rows, timers, waits };
}

const unset = new Map<string, ReturnType<typeof lifeWith>>();

/** The same life with a clock that is never set, lived once. */
function lifeUnset(life: (typeof LIVES)[number], clockOf: (clock: WatchedClock) => Clock) {
  const key = `${life.state} ${clockOf.name}`;
  const lived = unset.get(key) ?? lifeWith(life, 0, clockOf);
  unset.set(key, lived);
  return lived;
}

/** Every number that is a duration: of a hook, or of a row. */
function durationsOf({ said, rows }: Pick<Awaited<ReturnType<typeof lifeWith>>, "said" | "rows">): number[] {
  const hooked = said.filter((line) => /^(target|seconds)/.test(line)).map((line) => Number(line.split(" ").at(-1)));
  const stored = rows.map((row) => (row as unknown[]).at(-1)).filter((ms) => ms !== null) as number[];
  return [...hooked, ...stored];
}

describe("R3: the wall clock is set, and no wait, window or duration knows of it", () => {
  test.each(TABLE)("while $state, $step", async ({ stepMs, ...life }) => {
    const stepped = await lifeWith(life, stepMs, wallAndMonotonic);
    expect(stepped).toEqual(await lifeUnset(life, wallAndMonotonic));
    expect(stepped.said.length).toBeGreaterThan(3);
  });
});

/** Lives in which a wait is measured between the step and its end have a test of their own, in no-monotonic. */
const OTHERS = TABLE.filter(({ state }) => !/waiting|putting back/.test(state));

describe("a clock without `monotonic` is set: each job ends the same, and no number is impossible", () => {
  test.each(OTHERS)("while $state, $step", async ({ stepMs, ...life }) => {
    const { timers, ...seen } = await lifeWith(life, stepMs, wallOnly);
    const never = await lifeUnset(life, wallOnly);
    const ends = (rows: unknown[]) => rows.map((row) => (row as unknown[]).slice(0, -1));
    expect(ends(seen.rows)).toEqual(ends(never.rows));
    expect(timers).toEqual(never.timers);
    // What a clock takes back is lost, with the time since it was last read; what it adds cannot be told from time.
    const most = durationsOf(never).map((duration) => duration + Math.max(0, stepMs));
    expect(durationsOf(seen).filter((duration, index) => !(duration >= 0 && duration <= most[index]!))).toEqual([]);
  });
});
