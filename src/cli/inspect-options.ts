import { type Command, InvalidArgumentError } from "commander";
import type { InspectorServer } from "../inspect/inspector-server.js";
import { type Revealable, readReveal } from "../inspect/reveal.js";
import { CommandError } from "./command-error.js";
import { parseCount } from "./option-values.js";

/** Where the inspector's page is served, and what it may show beside states, ids and counts. */
export interface InspectOptions {
  inspectPort?: number;
  reveal?: Revealable[];
}

/** Gives a command the options that are about the inspector; `note` ends the description of each. */
export function addInspectOptions(command: Command, note = ""): Command {
  const fields = "show these too, with commas: url, options, result, caller, error, hint";
  return command
    .option("--inspect-port <port>", `port of the inspector's page (default: a free one)${note}`, parsePort)
    .option("--reveal <fields>", `${fields}${note}`, parseReveal);
}

export function inspectorAddress({ inspectPort, reveal }: InspectOptions) {
  return {
    ...(inspectPort === undefined ? {} : { port: inspectPort }),
    ...(reveal === undefined ? {} : { reveal }),
  };
}

/** The URL of the page; a port that cannot be had ends the command. */
export async function listening(inspector: Pick<InspectorServer, "listen">, options: InspectOptions): Promise<string> {
  try {
    return await inspector.listen();
  } catch (error) {
    throw new CommandError(`--inspect-port ${options.inspectPort ?? ""}: ${(error as Error).message}`);
  }
}

function parsePort(text: string): number {
  const port = parseCount(text);
  if (port > 65_535) throw new InvalidArgumentError("The highest is 65535.");
  return port;
}

function parseReveal(text: string): Revealable[] {
  const fields = text.split(",").map((field) => field.trim()) as Revealable[];
  try {
    return [...readReveal(fields)];
  } catch {
    throw new InvalidArgumentError("Give some of url, options, result, caller, error, hint.");
  }
}
