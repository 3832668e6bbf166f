import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const SCRIPT = fileURLToPath(new URL("../ownership/fixtures/owner.mjs", import.meta.url));

/** What an owner tells: one line an event, such as `fetch u:1`, `job cancelled`, `target ok`, `depth 0`, `closed`. */
type Message =
  | { event: "owned" | "closed" | "forgotten" }
  | { event: "refused"; code: string }
  | { event: "submitted"; id: string; reused: boolean }
  | { event: "fetch"; url: string }
  | { event: "job"; outcome: string }
  | { event: "target"; error: string }
  | { event: "depth"; live: number };

type Command =
  | { command: "submit"; caller: string; urls: string[] }
  | { command: "answer" | "close" | "exit" | "throw" | "abort" | "forget" | "run" };

/** Another process that runs a runner on a file, from the built library; killed when the test ends. */
export class OwnerProcess {
  /** All events so far, one line each. */
  readonly lines: string[] = [];
  /** Resolves to the exit code, or to the signal that ended it, once all it wrote is read. */
  readonly ended: Promise<number | string>;
  readonly stdout: Interface;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<string, () => void>();
  readonly #submits: ((id: string) => void)[] = [];

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.stdout = createInterface({ input: child.stdout! });
    this.ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
    child.on("message", (message) => this.#hear(message as Message));
  }

  /** Starts a process whose fetches wait to be answered, or in mode `free` do not; resolves once it has the store or was refused. */
  static async start(path: string, mode: "held" | "free" = "held"): Promise<OwnerProcess> {
    const child = fork(SCRIPT, [path, mode], { execArgv: ["--expose-gc"], stdio: ["ignore", "pipe", "ignore", "ipc"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const process = new OwnerProcess(child);
    await once(child, "message");
    return process;
  }

  tell(command: Command): void {
    this.#child.send(command);
  }

  /** Resolves once that line was told; at once where it was already. */
  async told(line: string): Promise<void> {
    if (this.lines.includes(line)) return;
    await new Promise<void>((resolve) => this.#waiting.set(line, resolve));
  }

  /** Submits a job and resolves to its id. */
  async submit(caller: string, ...urls: string[]): Promise<string> {
    this.tell({ command: "submit", caller, urls });
    return new Promise((resolve) => this.#submits.push(resolve));
  }

  #hear(message: Message): void {
    const line = lineOf(message);
    this.lines.push(line);
    this.#waiting.get(line)?.();
    if (message.event === "submitted") this.#submits.shift()?.(message.id);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it at once, as a power cut would end the process. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.ended;
  }
}

function lineOf(message: Message): string {
  switch (message.event) {
    case "refused":
      return `refused ${message.code}`;
    case "submitted":
      return "submitted";
    case "fetch":
      return `fetch ${message.url}`;
    case "job":
      return `job ${message.outcome}`;
    case "target":
      return `target ${message.error === "" ? "ok" : message.error}`;
    case "depth":
      return `depth ${message.live}`;
    default:
      return message.event;
  }
}
