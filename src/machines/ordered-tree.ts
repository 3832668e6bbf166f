/** An immutable sorted map from numbers (an AVL tree): each change costs O(log n) and leaves the old tree as it was. */
export interface OrderedTree<V> {
  readonly key: number;
  readonly value: V;
  readonly left: OrderedTree<V> | undefined;
  readonly right: OrderedTree<V> | undefined;
  readonly height: number;
}

type Tree<V> = OrderedTree<V> | undefined;

export function insert<V>(tree: Tree<V>, key: number, value: V): OrderedTree<V> {
  if (tree === undefined) return join(key, value, undefined, undefined);
  if (key < tree.key) return balance(tree, insert(tree.left, key, value), tree.right);
  if (key > tree.key) return balance(tree, tree.left, insert(tree.right, key, value));
  return join(key, value, tree.left, tree.right);
}

export function remove<V>(tree: Tree<V>, key: number): Tree<V> {
  if (tree === undefined) return undefined;
  if (key < tree.key) return balance(tree, remove(tree.left, key), tree.right);
  if (key > tree.key) return balance(tree, tree.left, remove(tree.right, key));
  const successor = first(tree.right);
  if (successor === undefined) return tree.left;
  return balance(successor, tree.left, remove(tree.right, successor.key));
}

export function first<V>(tree: Tree<V>): Tree<V> {
  let node = tree;
  while (node?.left !== undefined) node = node.left;
  return node;
}

/** The entry with the smallest key above `key`. */
export function firstAfter<V>(tree: Tree<V>, key: number): Tree<V> {
  let node = tree;
  let found: Tree<V>;
  while (node !== undefined) {
    if (node.key > key) {
      found = node;
      node = node.left;
    } else {
      node = node.right;
    }
  }
  return found;
}

function join<V>(key: number, value: V, left: Tree<V>, right: Tree<V>): OrderedTree<V> {
  return { key, value, left, right, height: 1 + Math.max(heightOf(left), heightOf(right)) };
}

function heightOf<V>(tree: Tree<V>): number {
  return tree === undefined ? 0 : tree.height;
}

/** Joins two trees under the entry of `root`, rotating once or twice where they differ by two in height. */
function balance<V>({ key, value }: OrderedTree<V>, left: Tree<V>, right: Tree<V>): OrderedTree<V> {
  if (left !== undefined && left.height > heightOf(right) + 1) {
    const inner = left.right;
    if (inner === undefined || heightOf(left.left) >= inner.height) {
      return join(left.key, left.value, left.left, join(key, value, inner, right));
    }
    const outer = join(left.key, left.value, left.left, inner.left);
    return join(inner.key, inner.value, outer, join(key, value, inner.right, right));
  }
  if (right !== undefined && right.height > heightOf(left) + 1) {
    const inner = right.left;
    if (inner === undefined || heightOf(right.right) >= inner.height) {
      return join(right.key, right.value, join(key, value, left, inner), right.right);
    }
    const outer = join(right.key, right.value, inner.right, right.right);
    return join(inner.key, inner.value, join(key, value, left, inner.left), outer);
  }
  return join(key, value, left, right);
}
