import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { onTestFinished } from "vitest";

const ENTRY = new URL("../../dist/index.js", import.meta.url);

export interface ScriptRun {
  child: ChildProcess;
  /** Resolves once the script has printed this text. */
  printed(text: string): Promise<void>;
  /** What it has printed so far. */
  stdout(): string;
  /** Resolves when the script has ended by itself or by a signal. */
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Runs an ES module in a process of its own, with the built library's exports in scope as `fairbatch`; killed when the test ends. */
export function runScript(source: string, ...args: string[]): ScriptRun {
  if (!existsSync(ENTRY)) throw new Error("build first: npm run build");
  const module = `import * as fairbatch from ${JSON.stringify(ENTRY.href)};\n${source}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", module, "--", ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  const readers = new Set<() => void>();
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
    for (const read of readers) read();
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const read = () => {
        if (stdout.includes(text)) resolve();
      };
      readers.add(read);
      read();
      void ended.then(() => reject(new Error(`ended without printing ${text}: ${stderr}`)));
    });
  return { child, printed, ended, stdout: () => stdout };
}
