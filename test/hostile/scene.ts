import { onTestFinished } from "vitest";
import type { RunnerConfig } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { type LogLine, logIntoMemory } from "../support/log-lines.js";
import { type RunnerUnderTest, startRunner } from "../support/runner.js";

/** Planted in every URL, option, caller, result and text of a case: whatever of it shows in a log line has leaked. */
export const MARK = "s3cret";
export const SECRET = `https://${MARK}.example/?token=${MARK}`;
/** The URL of a target on which nothing is hostile. */
export const GOOD = `${SECRET}&good`;

/** What every case must leave behind: a runner that still works, nothing unhandled, and no log line that tells anything. */
export const UNHARMED = { next: "done", strays: [], leaks: [] };

export interface Scene extends RunnerUnderTest {
  logged(): LogLine[];
  strays: string[];
}

/** A runner that logs into memory, with ears for all that nobody handled. */
export async function openScene(config: Partial<RunnerConfig> & Pick<RunnerConfig, "fetch">): Promise<Scene> {
  const strays = collectStrays();
  const log = logIntoMemory();
  const started = await startRunner({ logger: log.logger, retryWaitMs: 1_000, retryForMs: 60_000, ...config });
  return { ...started, logged: log.lines, strays };
}

/** Collects what nobody handled, and Node's warnings, until the test ends. */
export function collectStrays(): string[] {
  const strays: string[] = [];
  for (const event of ["unhandledRejection", "uncaughtException", "warning"]) {
    const collect = () => void strays.push(event);
    process.on(event, collect);
    onTestFinished(() => void process.off(event, collect));
  }
  return strays;
}

/** Runs one more job, on which nothing is hostile, and tells what the case has left behind. */
export async function aftermath(
  scene: Scene,
): Promise<{ next: string | undefined; strays: string[]; leaks: string[] }> {
  const id = await scene.submit(`next caller ${MARK}`, GOOD);
  await settled();
  const next = (await scene.runner.status(id))?.job.status;
  await settled();
  return { next, strays: scene.strays, leaks: leaksOf(scene.logged()) };
}

export function leaksOf(lines: LogLine[]): string[] {
  return lines.map((line) => JSON.stringify(line)).filter((line) => line.includes(MARK));
}
