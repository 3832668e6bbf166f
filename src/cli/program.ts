import { readFileSync } from "node:fs";
import { Argument, Command, CommanderError, Option } from "commander";
import type { JobStatus } from "../job.js";
import { cancelCommand } from "./cancel-command.js";
import { CommandError } from "./command-error.js";
import { inspectCommand } from "./inspect-command.js";
import { addInspectOptions, type InspectOptions } from "./inspect-options.js";
import { type ListOptions, listCommand } from "./list-command.js";
import { DEFAULT_DB } from "./open-store.js";
import { parseCount } from "./option-values.js";
import { printable } from "./printable.js";
import { resumeCommand, runCommand } from "./run-command.js";
import { addRunOptions, addWorkOptions, type RunOptions, type WorkOptions } from "./run-options.js";
import { showCommand } from "./show-command.js";

const STATUSES: JobStatus[] = ["queued", "running", "done", "partial", "failed", "cancelled"];
const WORK_HELP = `
Durations: 500ms, 2s, 10m, 1h, 7d; a bare number is seconds. Sizes: bytes, 64k, 1m.

Exit code: 0 all done, 1 some failed or cancelled, 2 bad usage or unreadable input; 129, 130, 143 after SIGHUP,
Ctrl-C, SIGTERM; 141 where nobody reads the output any more.
`;
const RESUME_HELP = `
Give the same --fetch as the run that was cut off. A target that was under way is fetched once more; one that was
under way at three such ends fails as interrupted. Jobs that wait to try again keep waiting.
${WORK_HELP}`;
const RUN_HELP = `
A file holds a URL a line, or a JSON target {"url": "...", "options": {...}} a line, or both; blank lines and
lines that begin with # are skipped. The jobs take turns. A file whose job is kept is not run again (also with
another --fetch or --max-body): its job is shown, unless that failed or was cancelled. --fresh runs it anew.
Jobs are kept for --keep. What an earlier run left unfinished fails as interrupted, unless --resume is given.
${WORK_HELP}
Examples:
  $ fairbatch run pages.txt
  $ fairbatch run monday.txt tuesday.txt --workers 2 --json > results.jsonl
  $ cat urls | fairbatch run - --fetch ./my-fetch.js`;

/** Runs one command line; resolves to its exit code, having said on stderr what was wrong with it. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`error: ${printable(error instanceof Error ? error.message : String(error))}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

function createProgram(finish: (exitCode: number) => void): Command {
  const program = new Command("fairbatch")
    .description("Runs batches of targets fairly, and keeps every state in a SQLite file.")
    .version(version())
    .exitOverride()
    .showHelpAfterError("(--help tells more)");
  addRun(program, finish);
  addResume(program, finish);
  addList(program, finish);
  addInspect(program, finish);
  const id = new Argument("<id>", "the job's id, or an unambiguous beginning of it");
  program
    .command("show")
    .description("show a job and its targets")
    .addArgument(id)
    .addOption(dbOption())
    .option("--json", "print the whole report, results too, as JSON")
    .action(async (idBeginning, options) => finish(await showCommand(idBeginning, options)));
  program
    .command("cancel")
    .description("cancel a job, also while a runner works on it")
    .addArgument(id)
    .addOption(dbOption())
    .option("--json", "print a JSON line")
    .action(async (idBeginning, options) => finish(await cancelCommand(idBeginning, options)));
  return program;
}

function addRun(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command("run")
    .description("run each file as a job")
    .argument("<file...>", "files of targets; - is the standard input")
    .addOption(dbOption());
  addWorkOptions(addRunOptions(command))
    .addHelpText("after", RUN_HELP)
    .action(async (files: string[], options: RunOptions) => finish(await runCommand(files, options)));
}

function addResume(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command("resume")
    .description("go on with the jobs that an earlier run left unfinished")
    .addOption(dbOption());
  addWorkOptions(command)
    .addHelpText("after", RESUME_HELP)
    .action(async (options: WorkOptions) => finish(await resumeCommand(options)));
}

function addList(program: Command, finish: (exitCode: number) => void): void {
  program
    .command("list")
    .description("list jobs, newest first")
    .addOption(dbOption())
    .option("--caller <name>", "only jobs of this caller")
    .addOption(new Option("--status <status>", "only jobs in this status").choices(STATUSES))
    .option("--limit <count>", "how many at most", parseCount, 100)
    .option("--json", "print a JSON line a job")
    .action(async (options: ListOptions) => finish(await listCommand(options)));
}

function addInspect(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command("inspect")
    .description("serve a page that shows the jobs in a store, also while a runner works on it, until Ctrl-C")
    .argument("<db>", "the SQLite file that keeps the jobs");
  addInspectOptions(command).action(async (db: string, options: InspectOptions) =>
    finish(await inspectCommand(db, options)),
  );
}

function dbOption(): Option {
  return new Option("--db <file>", "the SQLite file that keeps the jobs").default(DEFAULT_DB);
}

function version(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}
