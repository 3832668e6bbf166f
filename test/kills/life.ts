import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const SCRIPT = fileURLToPath(new URL("./fixtures/one-life.mjs", import.meta.url));
const LIBRARY = fileURLToPath(new URL("../../dist/index.js", import.meta.url));

/** When a process dies: so many statements from a moment on, or so many ms after it told of something. */
export interface Aim {
  moment: "start" | "submit" | "store" | "close" | "alive" | "owned" | "closing" | "idle";
  /** The how-manieth submit or answer it is, or the fetch in the midst of which it closes. */
  nth: number;
  /** From the moment on; 0: it dies by the clock, or when all is done. */
  statements: number;
  edge: "before" | "after";
  afterMs: number;
  drains: boolean;
}

export interface BatchOfPages {
  caller: string;
  urls: string[];
}

export interface LifeOptions {
  path: string;
  site: string;
  seed: number;
  workers: number;
  resume: boolean;
  meddles: boolean;
  aim: Aim;
  batches: BatchOfPages[];
}

/** What a process told, in the order it told it. */
export type Told =
  | { told: "alive" | "opened" | "owned" | "closing" | "closed" | "idle" }
  | { told: "submitted"; id: string; caller: string; urls: string[]; reused: boolean }
  | { told: "refused"; code: string }
  | { told: "created" | "cancelled" | "uncancelled"; id: string }
  | { told: "resumed" | "ended"; id: string; status: string }
  | { told: "touched"; id: string; seconds: number }
  | { told: "fetch"; id: string; index: number; attempt: number }
  | { told: "answered"; id: string; index: number }
  | { told: "stored"; id: string; index: number; status: string; error: string; bytes: number }
  | { told: "failure"; error: string };

/** Starts a process on a file and lets it live until it dies as aimed; resolves to all that it told. */
export async function liveOnce(options: LifeOptions, hear: (message: Told) => void = () => {}): Promise<Told[]> {
  if (!existsSync(LIBRARY)) throw new Error("build first: npm run build");
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(options)], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const told: Told[] = [];
  const { aim } = options;
  const kill = async () => {
    await setTimeout(aim.afterMs);
    child.kill("SIGKILL");
  };
  createInterface({ input: child.stdout }).on("line", (line) => {
    // The last line may have been cut by death itself.
    if (!line.endsWith("}")) return;
    const message = JSON.parse(line) as Told;
    told.push(message);
    if (message.told === aim.moment) void kill();
    hear(message);
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const signal = await new Promise((resolve) => child.on("close", (_code, ended) => resolve(ended)));
  if (signal !== "SIGKILL" || complaint !== "") throw new Error(`it ended by itself (${signal}): ${complaint}`);
  return told;
}
