import { createRequire, syncBuiltinESMExports } from "node:module";
import { setImmediate } from "node:timers/promises";
import type { Worker, WorkerOptions } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import { onTestFinished, vi } from "vitest";
import type { BatchStore } from "../../src/index.js";

const threads = createRequire(import.meta.url)("node:worker_threads") as { Worker: typeof Worker };

/** A thread, and how many checkpoints it was asked for and has answered. */
export type WatchedThread = Worker & { asked: number; answered: number };

/** The threads that are started from now on until the test ends, each made with what `change` makes of its options. */
export function watchThreads(
  change: (options: WorkerOptions) => WorkerOptions = (options) => options,
): WatchedThread[] {
  const real = threads.Worker;
  const started: WatchedThread[] = [];
  threads.Worker = class extends real {
    asked = 0;
    answered = 0;

    constructor(source: string | URL, options: WorkerOptions) {
      super(source, change(options));
      this.on("message", (message) => {
        if (message === "done") this.answered++;
      });
      started.push(this);
    }

    override postMessage(message: unknown) {
      if (message === "checkpoint") this.asked++;
      super.postMessage(message);
    }
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    threads.Worker = real;
    syncBuiltinESMExports();
  });
  return started;
}

/** What the store's own connection copies by itself once the log has so many pages. */
export function ownCheckpoints(connection: Database): unknown {
  return connection.pragma("wal_autocheckpoint", { simple: true });
}

/** How many pages the log has, and how many of these are in the file too, whoever copied them. */
export function logOf(connection: Database): { log: number; checkpointed: number } {
  const [row] = connection.pragma("wal_checkpoint(noop)") as [{ log: number; checkpointed: number }];
  return { log: row.log, checkpointed: row.checkpointed };
}

/** So many writes, each of a page or two and of a lease one second later, with a turn of the event loop after each few. */
export async function write(store: BatchStore, count: number, firstSecond = 1): Promise<void> {
  for (let written = 1; written <= count; written++) {
    await store.touch("a", firstSecond + written - 1);
    if (written % 8 === 0) await setImmediate();
  }
}

/** Writes until the thread has copied something, which the connection by itself would not have. */
export async function untilThread(store: BatchStore, connection: Database): Promise<void> {
  let startedAt: number | undefined;
  await vi.waitFor(
    async () => {
      await write(store, 64);
      const { log, checkpointed } = logOf(connection);
      if (Number(ownCheckpoints(connection)) > 1_000) startedAt ??= log;
      if (startedAt === undefined || checkpointed <= startedAt) throw new Error("no thread yet");
    },
    { timeout: 30_000, interval: 1 },
  );
}
