import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const SCRIPT = fileURLToPath(new URL("../store/fixtures/store-process.mjs", import.meta.url));

type Command =
  | { command: "open"; path: string; atMs: number }
  | { command: "call"; calls: readonly (readonly [method: string, ...args: unknown[]])[]; atMs: number }
  | { command: "close" };

/** Another process with a store of its own, from the built library; ended when the test ends. */
export class StoreProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<StoreProcess> {
    const child = fork(SCRIPT, { execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "message");
    return new StoreProcess(child);
  }

  /** Resolves to what the other process answered; rejects with what it threw. */
  async tell(command: Command): Promise<unknown> {
    const answered = once(this.#child, "message");
    this.#child.send(command);
    const [message] = (await answered) as [{ answer?: unknown; error?: string }];
    if (message.error !== undefined) throw new Error(message.error);
    return message.answer;
  }
}

/** A moment that is near, and far enough that every process has had its message before. */
export function soon(): number {
  return Date.now() + 25;
}
