import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { FetchFunc } from "../runner/batch-runner.js";
import type { Caller } from "../target.js";
import { CommandError } from "./command-error.js";

/** The fetch function that a module of the user's exports as its default. */
export async function loadFetch(path: string): Promise<FetchFunc<Caller, object>> {
  const loaded = await load(path);
  if (typeof loaded.default !== "function") {
    throw new CommandError(
      `--fetch ${path}: its default export is no function; it should be (target, context) => result`,
    );
  }
  return loaded.default as FetchFunc<Caller, object>;
}

async function load(path: string): Promise<{ default?: unknown }> {
  if (!existsSync(path)) throw new CommandError(`--fetch ${path}: there is no such file`);
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`--fetch ${path}: cannot be loaded: ${reason}`);
  }
}
