import { type Command, Option } from "commander";
import { MAX_BODY_BYTES } from "./http-fetch.js";
import { addInspectOptions, type InspectOptions } from "./inspect-options.js";
import { parseAge, parseBytes, parseCount, parseDuration, parseWait } from "./option-values.js";

/** What `fairbatch run` was asked for. */
export interface RunOptions extends WorkOptions {
  caller: string;
  fresh?: boolean;
  resume?: boolean;
}

/** How jobs are to be worked on, new and old ones. Durations are in milliseconds; a `timeout` of 0 is none. */
export interface WorkOptions extends InspectOptions {
  db: string;
  fetch?: string;
  workers: number;
  timeout?: number;
  retryWait: number;
  retryFor: number;
  maxBody: number;
  keep: number;
  json?: boolean;
  quiet?: boolean;
  logLevel: string;
  inspect?: boolean;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** Gives a command the options of a run that are about what is run. */
export function addRunOptions(command: Command): Command {
  return command
    .option("--caller <name>", "who submits the jobs", "cli")
    .option("--fresh", "run again what is kept of an earlier run")
    .option("--resume", "go on with the jobs that an earlier run left unfinished, too");
}

/** Gives a command the options that are about how it is run, but for `--db`. */
export function addWorkOptions(command: Command): Command {
  command
    .option("--fetch <module>", "fetch with the default export of a module instead of an HTTP GET")
    .option("--workers <count>", "targets fetched at once, in different jobs", parseCount, 1)
    .option("--timeout <duration>", "time limit of one fetch; 0: none (default: 1m, with --fetch none)", parseDuration)
    .addOption(waitOption("--retry-wait <duration>", "wait before a target is tried again", "2s"))
    .addOption(waitOption("--retry-for <duration>", "how long a target is tried again", "10m"))
    .addOption(
      new Option("--max-body <size>", "keep this much of a body").argParser(parseBytes).default(MAX_BODY_BYTES, "1m"),
    )
    .addOption(
      new Option("--keep <duration>", "remove ended jobs that are older, results too")
        .argParser(parseAge)
        .default(parseAge("24h"), "24h"),
    )
    .option("--json", "print a JSON line a target on stdout, as each is stored")
    .option("--quiet", "say nothing but errors and what failed")
    .addOption(new Option("--log-level <level>", "the runner's own log, on stderr").choices(LOG_LEVELS).default("warn"))
    .option("--inspect", "serve a page that shows the run, and print its URL on stderr");
  return addInspectOptions(command, "; implies --inspect");
}

function waitOption(flags: string, description: string, fallback: string): Option {
  return new Option(flags, description).argParser(parseWait).default(parseWait(fallback), fallback);
}
