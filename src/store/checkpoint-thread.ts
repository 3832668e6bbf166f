import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { sqliteAddon } from "./sqlite-addon.js";

/** A thread that copies a database's write-ahead log into its file when it is asked to, on a connection of its own. */
export interface CheckpointThread {
  /** Asks for a checkpoint, unless the thread is not ready or one is under way. */
  ask(): void;
  /** Resolves when the thread has closed its connection and ended; whatever is under way is finished first. */
  end(): Promise<void>;
}

/**
 * A string, and not a module beside this one: it also runs where there are only TypeScript sources, and in a bundle.
 * An error of a checkpoint leaves the log as it was, to be tried again at the next.
 */
const SOURCE = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { sqlite, nativeBinding, path } = workerData;
  const database = new (require(sqlite))(path, { nativeBinding, fileMustExist: true, timeout: 0 });
  parentPort.on("message", (asked) => {
    if (asked === "end") {
      database.close();
      return parentPort.close();
    }
    try {
      database.pragma("wal_checkpoint(passive)");
    } catch {}
    parentPort.postMessage("done");
  });
  parentPort.postMessage("ready");
`;

/** Nothing of the host's process is handed on: no loader, no flag, no variable. The thread itself needs about 4 MB. */
const APART = {
  eval: true,
  execArgv: [],
  argv: [],
  env: {},
  stdin: false,
  stdout: true,
  stderr: true,
  resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
};

/**
 * Finds the SQLite that this process runs, and hands back what starts a thread on it; throws where it cannot be told for sure.
 * `ended` is called once there is no thread any more, however that came.
 */
export function checkpointThread(path: string): (ended: () => void) => CheckpointThread {
  const require = createRequire(import.meta.url);
  const sqlite = require.resolve("better-sqlite3");
  const nativeBinding = sqliteAddon(Object.keys(require.cache));
  const loaded = identity(nativeBinding);
  return (ended) => {
    // A file that was replaced since would be loaded once more, and two SQLites in one process undo one another's POSIX locks.
    if (identity(nativeBinding) !== loaded) throw new Error("another SQLite");
    return start({ sqlite, nativeBinding, path }, ended);
  };
}

function identity(file: string): string {
  const { dev, ino, mtimeMs } = statSync(file);
  return `${dev}/${ino}/${mtimeMs}`;
}

function start(
  workerData: { sqlite: string; nativeBinding: string; path: string },
  ended: () => void,
): CheckpointThread {
  const worker = new Worker(SOURCE, { ...APART, name: "fairbatch checkpoints", workerData });
  let busy = true;
  // It is ready, or done.
  worker.on("message", () => {
    busy = false;
  });
  // An error ends the thread, and its end is what counts.
  worker.on("error", () => {});
  const exited = new Promise<void>((resolve) => {
    worker.on("exit", () => {
      ended();
      resolve();
    });
  });
  // After the listeners: to listen for messages is to keep the process alive.
  worker.unref();
  return {
    ask() {
      if (busy) return;
      busy = true;
      worker.postMessage("checkpoint");
    },
    end() {
      // Somebody waits for the end, and a process that waits for nothing else would exit before.
      worker.ref();
      worker.postMessage("end");
      return exited;
    },
  };
}
