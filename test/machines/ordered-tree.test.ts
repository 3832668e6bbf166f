import { describe, expect, test } from "vitest";
import { first, firstAfter, insert, type OrderedTree, remove } from "../../src/machines/ordered-tree.js";
import { seededRandom } from "../support/seeded-random.js";

type Tree = OrderedTree<string> | undefined;

function treeOf(keys: Iterable<number>): Tree {
  let tree: Tree;
  for (const key of keys) tree = insert(tree, key, `v${key}`);
  return tree;
}

function entriesOf(tree: Tree): [number, string][] {
  return tree === undefined ? [] : [...entriesOf(tree.left), [tree.key, tree.value], ...entriesOf(tree.right)];
}

/** The height as counted, after checking at every node that the one kept is right and that its sides are in balance. */
function checkedHeight(tree: Tree): number {
  if (tree === undefined) return 0;
  const [left, right] = [checkedHeight(tree.left), checkedHeight(tree.right)];
  expect(Math.abs(left - right)).toBeLessThanOrEqual(1);
  expect(tree.height).toBe(1 + Math.max(left, right));
  return tree.height;
}

describe("the ordered tree", () => {
  test("holds its entries in key order, whatever the order they came in", () => {
    const entries = [1, 2, 3, 4, 5, 6, 7].map((key) => [key, `v${key}`]);

    expect(entriesOf(treeOf([4, 1, 7, 3, 6, 2, 5]))).toEqual(entries);
    expect(entriesOf(treeOf([7, 6, 5, 4, 3, 2, 1]))).toEqual(entries);
  });

  test("an insert of a key it holds takes the new value and adds no entry", () => {
    expect(entriesOf(insert(treeOf([1, 2, 3]), 2, "new"))).toEqual([
      [1, "v1"],
      [2, "new"],
      [3, "v3"],
    ]);
  });

  test("removing an unknown key, or from nothing, changes no entry", () => {
    expect(entriesOf(remove(treeOf([1, 3]), 2))).toEqual(entriesOf(treeOf([1, 3])));
    expect(remove(undefined, 1)).toBeUndefined();
    expect(remove(treeOf([1]), 1)).toBeUndefined();
  });

  test("finds the smallest key, and the smallest above a given one", () => {
    const tree = treeOf([10, 20, 30]);

    expect(first(tree)?.key).toBe(10);
    expect([-1, 9, 10, 19, 20, 29, 30, 31].map((key) => firstAfter(tree, key)?.key)).toEqual([
      10,
      10,
      20,
      20,
      30,
      30,
      undefined,
      undefined,
    ]);
    expect([first(undefined), firstAfter(undefined, 0)]).toEqual([undefined, undefined]);
  });

  test("a change leaves the old tree as it was", () => {
    const before = treeOf([5, 2, 8, 1, 9, 3]);
    const copy = structuredClone(before);

    insert(before, 4, "x");
    insert(before, 5, "x");
    remove(before, 5);
    remove(before, 1);

    expect(before).toEqual(copy);
  });

  test("stays balanced through thousands of random inserts and removals", () => {
    const random = seededRandom(1);
    let tree: Tree;
    const model = new Map<number, string>();
    for (let step = 0; step < 5_000; step++) {
      const key = random(300);
      if (random(5) < 3) {
        tree = insert(tree, key, `s${step}`);
        model.set(key, `s${step}`);
      } else {
        tree = remove(tree, key);
        model.delete(key);
      }
      if (step % 50 === 0) {
        checkedHeight(tree);
        expect(entriesOf(tree)).toEqual([...model].sort(([a], [b]) => a - b));
      }
      const above = random(300);
      const next = [...model.keys()].filter((other) => other > above);
      expect(firstAfter(tree, above)?.key).toBe(next.length === 0 ? undefined : Math.min(...next));
    }
  });

  test.each([
    ["rising", (keys: number[]) => keys],
    ["falling", (keys: number[]) => keys.reverse()],
    ["shuffled", (keys: number[]) => seededRandom(2).shuffled(keys)],
  ])("is no higher than 1.45 log2(n + 2) at 10,000 %s keys, nor after most of them are gone", (_order, arrange) => {
    const keys = arrange(Array.from({ length: 10_000 }, (_, key) => key));
    const limit = (entries: number) => 1.45 * Math.log2(entries + 2);
    let tree = treeOf(keys);

    expect(checkedHeight(tree)).toBeLessThanOrEqual(limit(10_000));
    for (const key of keys.slice(0, 9_900)) tree = remove(tree, key);
    expect(checkedHeight(tree)).toBeLessThanOrEqual(limit(100));
    expect(entriesOf(tree).length).toBe(100);
  });
});
