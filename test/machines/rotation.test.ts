import { describe, expect, test } from "vitest";
import type { OrderedTree } from "../../src/machines/ordered-tree.js";
import { emptyRotation, enter, isNext, leave, next, type Rotation, take } from "../../src/machines/rotation.js";
import { seededRandom } from "../support/seeded-random.js";

function rotationOf(...places: number[]): Rotation<string> {
  return places.reduce<Rotation<string>>((rotation, place) => enter(rotation, place, `job ${place}`), emptyRotation);
}

/** Takes so many turns; unless told otherwise, a job that had its turn is ready again at once. */
function turns(start: Rotation<string>, count: number, again = true): { jobs: string[]; rotation: Rotation<string> } {
  const jobs: string[] = [];
  let rotation = start;
  for (let turn = 0; turn < count; turn++) {
    const due = next(rotation);
    if (due === undefined) break;
    jobs.push(due.job);
    rotation = take(rotation, due.place);
    if (again) rotation = enter(rotation, due.place, due.job);
  }
  return { jobs, rotation };
}

describe("R2: the rotation", () => {
  test("asking whose turn it is takes no turn", () => {
    const rotation = rotationOf(8, 7);

    expect([next(rotation), next(rotation)]).toEqual([
      { place: 7, job: "job 7" },
      { place: 7, job: "job 7" },
    ]);
  });

  test("nobody ready: no turn", () => {
    expect(next(emptyRotation)).toBeUndefined();
    expect(next(leave(rotationOf(3), 3))).toBeUndefined();
  });

  test("goes round and round in submit order, whatever order the jobs became ready in", () => {
    expect(turns(rotationOf(2, 0, 1), 7).jobs).toEqual(["job 0", "job 1", "job 2", "job 0", "job 1", "job 2", "job 0"]);
  });

  test("a newcomer takes its place in submit order, before those taken already: a1 b1 c1 d1 a2", () => {
    const a1 = turns(rotationOf(0, 1, 2), 1, false);
    const withD = enter(a1.rotation, 3, "job 3");
    const aIsFreeAgain = enter(withD, 0, "job 0");

    expect(a1.jobs).toEqual(["job 0"]);
    expect(turns(aIsFreeAgain, 5).jobs).toEqual(["job 1", "job 2", "job 3", "job 0", "job 1"]);
  });

  test("the cursor is a place and not a job: it holds when the job taken last is gone for good", () => {
    const { rotation } = turns(rotationOf(0, 1, 2, 3), 2);

    expect(turns(leave(rotation, 1), 4).jobs).toEqual(["job 2", "job 3", "job 0", "job 2"]);
  });

  test("a job that waited rejoins at its own place, not at the end", () => {
    const waitsFor1 = leave(rotationOf(0, 1, 2), 1);
    const { jobs, rotation } = turns(waitsFor1, 3);

    expect(jobs).toEqual(["job 0", "job 2", "job 0"]);
    expect(turns(enter(rotation, 1, "job 1"), 3).jobs).toEqual(["job 1", "job 2", "job 0"]);
  });

  test("a taken job has no second turn until it enters again", () => {
    expect(turns(rotationOf(5, 6), 9, false).jobs).toEqual(["job 5", "job 6"]);
  });

  test("leaving is harmless for one that is not in it", () => {
    expect(turns(leave(rotationOf(0, 1), 9), 2).jobs).toEqual(["job 0", "job 1"]);
    expect(next(leave(emptyRotation, 0))).toBeUndefined();
  });

  test("nobody ready: whoever would be ready would be next, wherever the rotation stands", () => {
    expect([0, 4, 9].map((place) => isNext({ ready: undefined, lastPlace: 4 }, place))).toEqual([true, true, true]);
  });

  test.each([
    { ready: [0, 2], last: 1, isNext: { 1: false, 3: false, 1.5: true } },
    { ready: [0, 2], last: 2, isNext: { 2: false, 1: false, 3: true, [-0.5]: true } },
    { ready: [3], last: 3, isNext: { 1: true, 4: true, 3.5: true } },
    { ready: [5], last: 7, isNext: { 4: true, 6: false, 7: false, 8: true } },
  ])(
    "after place $last, with $ready ready: who is not ready yet would be next or not",
    ({ ready, last, ...expected }) => {
      const rotation = { ...rotationOf(...ready), lastPlace: last };
      const answers = Object.keys(expected.isNext).map((place) => [place, isNext(rotation, Number(place))]);

      expect(Object.fromEntries(answers)).toEqual(expected.isNext);
    },
  );

  test("is immutable: no operation changes the rotation it was given", () => {
    const { rotation } = turns(rotationOf(4, 1, 3, 0, 2), 2);
    const copy = structuredClone(rotation);

    enter(rotation, 9, "job 9");
    leave(rotation, 1);
    take(rotation, 2);
    next(rotation);
    isNext(rotation, 9);

    expect(rotation).toEqual(copy);
    expect(emptyRotation).toEqual({ ready: undefined, lastPlace: -1 });
  });
});

/** The rule, read off the page: an array of the ready places, searched from its start each time. */
class NaiveRotation {
  ready: number[] = [];
  last = -1;

  take(): number | undefined {
    const inOrder = this.ready.toSorted((a, b) => a - b);
    const next = inOrder.find((place) => place > this.last) ?? inOrder[0];
    if (next === undefined) return undefined;
    this.ready = this.ready.filter((place) => place !== next);
    this.last = next;
    return next;
  }
}

test.each([3, 4, 5])("R2: takes the same turns as a naive array through 5,000 random steps (seed %i)", (seed) => {
  const random = seededRandom(seed);
  const naive = new NaiveRotation();
  let rotation: Rotation<string> = emptyRotation;
  let submitted = 0;
  let turnsTaken = 0;
  const out = new Set<number>();
  for (let step = 0; step < 5_000; step++) {
    const choice = random(10);
    const back = [...out][random(out.size)];
    if (choice < 2 || (choice < 5 && back !== undefined)) {
      const place = choice < 2 || back === undefined ? submitted++ : back;
      out.delete(place);
      naive.ready.push(place);
      rotation = enter(rotation, place, `job ${place}`);
    } else if (choice < 6) {
      const gone = naive.ready[random(naive.ready.length)] ?? 0;
      naive.ready = naive.ready.filter((place) => place !== gone);
      rotation = leave(rotation, gone);
    } else {
      const expected = naive.take();
      expect(next(rotation)?.place, `step ${step}`).toBe(expected);
      if (expected === undefined) continue;
      rotation = take(rotation, expected);
      out.add(expected);
      turnsTaken++;
    }
  }
  expect(turnsTaken).toBeGreaterThan(500);
});

test("R2: a job that stands in its place meanwhile is next exactly where it would be if it were ready: every rotation of 7 places", () => {
  const places = [0, 1, 2, 3, 4, 5, 6];
  let asked = 0;
  for (let bits = 0; bits < 2 ** places.length; bits++) {
    const ready = places.filter((place) => (bits >> place) & 1);
    for (let last = -1; last <= places.length; last++) {
      const rotation = { ...rotationOf(...ready), lastPlace: last };
      for (const place of places.filter((other) => !ready.includes(other))) {
        const naive = new NaiveRotation();
        naive.ready = [...ready, place];
        naive.last = last;
        expect(isNext(rotation, place), `${place} beside ${ready} after ${last}`).toBe(naive.take() === place);
        asked++;
      }
    }
  }
  expect(asked).toBe(9 * 7 * 2 ** 6);
});

/** The same tree, in which every read of a key is counted. */
function counting<V>(tree: OrderedTree<V>, reads: { keys: number }): OrderedTree<V> {
  return new Proxy(tree, {
    get(node, name) {
      if (name === "key") reads.keys++;
      const value = Reflect.get(node, name);
      return typeof value === "object" && value !== null && (name === "left" || name === "right")
        ? counting(value as OrderedTree<V>, reads)
        : value;
    },
  });
}

test("R2: a turn among 10,000 ready jobs reads a few keys a level, not the jobs", () => {
  const places = seededRandom(6).shuffled(Array.from({ length: 10_000 }, (_, place) => place));
  const rotation = rotationOf(...places);
  const perTurn = (lastPlace: number, act: (rotation: Rotation<string>) => unknown) => {
    const reads = { keys: 0 };
    act({ ready: counting(rotation.ready as OrderedTree<string>, reads), lastPlace });
    return reads.keys;
  };
  const levels = Math.log2(10_000);

  const costs = [-1, 0, 4_999, 9_998, 9_999].flatMap((last) => [
    perTurn(last, next),
    perTurn(last, (ready) => isNext(ready, last)),
    perTurn(last, (ready) => take(ready, last)),
    perTurn(last, (ready) => leave(ready, last)),
    perTurn(last, (ready) => enter(ready, last + 0.5, "new")),
  ]);

  expect(Math.min(...costs)).toBeGreaterThan(0);
  expect(Math.max(...costs)).toBeLessThan(6 * levels);
});
