import type { OrderedTree } from "../machines/ordered-tree.js";
import type { SchedulerContext } from "../machines/scheduler-machine.js";
import type { RotationView } from "./protocol.js";

const SHOWN_MAX = 200;

/** The rotation as it stands; walks all ready jobs, so it is made only where somebody is told. */
export function rotationView(
  { rotation, idleWorkers }: SchedulerContext,
  jobIdAt: (place: number) => string | undefined,
): RotationView {
  const ready = [...inOrder(rotation.ready)];
  const next = ready.findIndex(({ key }) => key > rotation.lastPlace);
  const cursor = next === -1 ? ready.length : next;
  const from = Math.max(0, Math.min(cursor - SHOWN_MAX / 2, ready.length - SHOWN_MAX));
  const lastJobId = jobIdAt(rotation.lastPlace);
  return {
    ready: ready.slice(from, from + SHOWN_MAX).map(({ key, value }) => ({ jobId: value.jobId, place: key })),
    readyTotal: ready.length,
    lastPlace: rotation.lastPlace,
    ...(lastJobId === undefined ? {} : { lastJobId }),
    idleWorkers: idleWorkers.map(({ id }) => id),
  };
}

function* inOrder<V>(tree: OrderedTree<V> | undefined): Generator<OrderedTree<V>> {
  const above: OrderedTree<V>[] = [];
  let node = tree;
  for (;;) {
    for (; node !== undefined; node = node.left) above.push(node);
    const entry = above.pop();
    if (entry === undefined) return;
    yield entry;
    node = entry.right;
  }
}
