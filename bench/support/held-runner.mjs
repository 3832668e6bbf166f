// A runner whose fetches can be held, with as many live jobs as wanted, some of which wait to retry.
import { setImmediate } from "node:timers/promises";
import { createBatchRunner, openSqliteStore, RetryLaterError } from "fairbatch";
import { jobTargets, OPEN_CAPS, RESULT } from "./workload.mjs";

const RETRY_MS = 500_000;

/** Jobs of callers whose name begins with this are put off at their first target. */
const WAITING = "waiting";

export async function heldRunner(path, hooks = {}) {
  let hold = heldAnswer();
  let puttingOff = 0;
  const store = await openSqliteStore(path);
  const fetch = async (_target, { caller }) => {
    if (!caller.name.startsWith(WAITING)) return hold?.answer ?? RESULT;
    puttingOff++;
    throw new RetryLaterError("later", { afterMs: RETRY_MS });
  };
  const runner = await createBatchRunner({ store, ...OPEN_CAPS, retryForMs: 2 * RETRY_MS, fetch, hooks });
  let jobs = 0;
  const batch = (kind, targets) => ({
    caller: { name: `${kind}-${jobs}` },
    callerClass: "",
    targets: jobTargets(jobs++, targets),
  });
  const inflight = () => runner.gauges.getSnapshot().context.inflight;
  return {
    runner,
    store,
    batch,
    /** Jobs that are live and wait to retry, all of them. */
    async addWaiting(count) {
      for (let job = 0; job < count; job++) await runner.submit(batch(WAITING, 1));
      while (puttingOff < count || inflight() > 0) await setImmediate();
    },
    /** Jobs that are live and have their turns to come; the first holds the worker. */
    async addReady(count, targets) {
      for (let job = 0; job < count; job++) await runner.submit(batch("ready", targets));
      while (inflight() === 0) await setImmediate();
    },
    release() {
      hold.release();
      hold = undefined;
    },
    async end() {
      await runner.close({ timeoutMs: 1 });
      await store.close();
    },
  };
}

function heldAnswer() {
  let release;
  const answer = new Promise((resolve) => {
    release = () => resolve(RESULT);
  });
  return { answer, release };
}
