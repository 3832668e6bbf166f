import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The command as a process of its own. */
export class FairbatchProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";
  #over = false;
  #onOutput = () => {};

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        this[name] += text;
        this.#onOutput();
      });
    }
    this.ended = new Promise((resolve, reject) => {
      child.on("error", reject).on("close", (code) => {
        this.#over = true;
        this.#onOutput();
        resolve({ code, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  /** Resolves once the output matches; rejects where the process ends without it. */
  async said(name: "stdout" | "stderr", pattern: RegExp): Promise<void> {
    while (!pattern.test(this[name])) {
      if (this.#over) throw new Error(`it ended without saying ${pattern}:\n${this.stdout}\n${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#onOutput = resolve;
      });
    }
  }
}

/** A working directory of its own, in which the command is run. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), "fairbatch-cli-"));
  readonly #processes: FairbatchProcess[] = [];

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, ...lines: string[]): string {
    writeFileSync(this.path(name), `${lines.join("\n")}\n`);
    return name;
  }

  start(...args: string[]): FairbatchProcess {
    return this.spawn(process.execPath, [MAIN, ...args]);
  }

  spawn(command: string, args: string[], env: Record<string, string> = {}): FairbatchProcess {
    const { CI: _, NO_COLOR: __, FORCE_COLOR: ___, ...inherited } = process.env;
    const started = new FairbatchProcess(spawn(command, args, { cwd: this.folder, env: { ...inherited, ...env } }));
    this.#processes.push(started);
    return started;
  }

  run(...args: string[]): Promise<Ended> {
    const started = this.start(...args);
    started.child.stdin.end();
    return started.ended;
  }

  remove(): void {
    for (const { child } of this.#processes) if (child.exitCode === null) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
