import { expect, test } from "vitest";
import type { Admission, Settlement } from "../../src/store/batch-store.js";
import { StoreProcess, soon } from "../support/store-process.js";
import {
  admitJob,
  done,
  endedJob,
  freshPath,
  keptCounts,
  openRaw,
  openWithConnection,
  request,
  statuses,
  summedCounts,
} from "../support/stores.js";

const JOBS = 150;
/** Starting processes takes long on a busy machine. */
const SLOW = { timeout: 60_000 };

async function openInProcesses(path: string, count: number): Promise<StoreProcess[]> {
  const processes = await Promise.all(Array.from({ length: count }, () => StoreProcess.start()));
  await Promise.all(processes.map((process) => process.tell({ command: "open", path, atMs: 0 })));
  return processes;
}

test("design 4: when one process cancels and another settles, exactly one of them ends each job", SLOW, async () => {
  const path = freshPath();
  const { store } = await openWithConnection(path);
  const ids = Array.from({ length: JOBS }, (_, index) => `job ${index}`);
  for (const id of ids) {
    await admitJob(store, id);
    await store.start({ jobId: id, index: 0, startedAtMs: 1, maxInterrupted: 3 });
  }
  const [canceller, settler] = await openInProcesses(path, 2);
  const settlement = (jobId: string) => ({ jobId, outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: "done" });
  const atMs = soon();
  const [cancelled, settled] = (await Promise.all([
    canceller!.tell({ command: "call", calls: ids.map((id) => ["cancel", id]), atMs }),
    settler!.tell({ command: "call", calls: ids.toReversed().map((id) => ["settle", settlement(id)]), atMs }),
  ])) as [boolean[], Settlement[]];

  const ended = settled.toReversed().map((settlement) => settlement.live);
  expect(ended).toEqual(cancelled.map((won) => !won));
  expect(statuses(openRaw(path))).toEqual(
    Object.fromEntries(ids.map((id, index) => [id, cancelled[index] === true ? "cancelled" : "done"])),
  );
  expect(await keptCounts(store, "ann")).toMatchObject({ live: 0, liveOfCaller: 0 });
});

test("design 4: of two connections that cancel the same job, one is told so", async () => {
  const path = freshPath();
  const { store } = await openWithConnection(path);
  const { store: other } = await openWithConnection(path);
  await admitJob(store, "a");
  expect((await Promise.all([store.cancel("a"), other.cancel("a")])).sort()).toEqual([false, true]);
});

test("design 4: a job that one connection ended is gone for the other, whichever was first", async () => {
  const path = freshPath();
  const { store } = await openWithConnection(path);
  const { store: other } = await openWithConnection(path);
  await endedJob(store, "ended");
  await admitJob(store, "cancelled");
  expect([await other.cancel("ended"), await other.cancel("cancelled")]).toEqual([false, true]);
  const settlement = { outcomes: [done(0)], targetsDone: 1, targetsFailed: 0, end: "done" as const };
  expect(await store.settle({ jobId: "cancelled", ...settlement })).toMatchObject({ live: false });
  expect(await store.start({ jobId: "cancelled", index: 0, startedAtMs: 1, maxInterrupted: 3 })).toEqual({
    outcome: "gone",
  });
  expect(await other.list()).toMatchObject([{ status: "cancelled" }, { status: "done" }]);
});

test(
  "R1.4: of equal submits from four processes at once exactly one creates, and the rest reuse it",
  SLOW,
  async () => {
    const path = freshPath();
    const processes = await openInProcesses(path, 4);
    for (let round = 0; round < 5; round++) {
      const atMs = soon();
      const admissions = (await Promise.all(
        processes.map((process, index) => {
          const calls = [0, 1, 2, 3, 4].map((call) => {
            return ["admit", request(`round ${round}, ${index}.${call}`, { idempotencyKey: `key ${round}` })] as const;
          });
          return process.tell({ command: "call", calls, atMs });
        }),
      )) as Admission[][];
      const outcomes = admissions.flat();
      const ids = Object.keys(statuses(openRaw(path))).slice(round);
      expect(ids).toHaveLength(1);
      expect(outcomes.filter((admission) => admission.outcome === "created")).toHaveLength(1);
      expect(outcomes.filter((admission) => admission.outcome === "reused")).toEqual(
        Array(19).fill({ outcome: "reused", id: ids[0] }),
      );
    }
  },
);

test("R1.4: at a total of 100, exactly 100 of 400 callers from four processes at once get in", SLOW, async () => {
  const path = freshPath();
  const processes = await openInProcesses(path, 4);
  const limits = { jobsTotal: 100, jobsPerCaller: 1 };
  const atMs = soon();
  const admissions = (await Promise.all(
    processes.map((process, index) => {
      const calls = Array.from({ length: 100 }, (_, call) => {
        const id = `${index}.${call}`;
        return ["admit", request(id, { caller: `caller ${id}`, limits })] as const;
      });
      return process.tell({ command: "call", calls, atMs });
    }),
  )) as Admission[][];
  expect(admissions.flat().filter((admission) => admission.outcome === "created")).toHaveLength(100);
  expect(admissions.flat().filter((admission) => admission.outcome === "refused")).toEqual(
    Array(300).fill({ outcome: "refused", code: "ERR_BUSY", limit: 100, count: 100 }),
  );
  const { store } = await openWithConnection(path);
  expect(await keptCounts(store, "caller 0.0")).toEqual(summedCounts(openRaw(path), "caller 0.0"));
});
