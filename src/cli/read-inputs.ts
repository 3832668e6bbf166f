import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { Target } from "../target.js";
import { CommandError } from "./command-error.js";
import { parseTargets, type UrlProblem } from "./target-lines.js";

/** What one file of the command line asks for: one job. */
export interface Input {
  name: string;
  targets: Target<object>[];
}

/** Reads and checks all files before anything is run; `-` is the standard input. */
export async function readInputs(files: readonly string[], urlProblem: UrlProblem): Promise<Input[]> {
  if (files.filter((file) => file === "-").length > 1) throw new CommandError("- can be given only once");
  const inputs: Input[] = [];
  for (const file of files) {
    const name = file === "-" ? "stdin" : file;
    inputs.push({ name, targets: parseTargets(await readText(file), name, urlProblem) });
  }
  return inputs;
}

async function readText(file: string): Promise<string> {
  try {
    const bytes = await (file === "-" ? buffer(process.stdin) : readFile(file));
    return new TextDecoder().decode(bytes);
  } catch (error) {
    throw new CommandError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
  }
}
