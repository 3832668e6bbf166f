#!/usr/bin/env node
import { runProgram } from "./program.js";

// Whoever reads our output may go at any time; a run stops then (stop-signals.ts), the other commands just end.
let unwritable = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", ({ code }: NodeJS.ErrnoException) => {
    unwritable ||= code !== "EPIPE";
  });
}

const exitCode = await runProgram(process.argv.slice(2));
process.stdout.write("", () => setImmediate(end));

/** A fetch that was given up may still be at work, and would keep the process alive. */
function end(): void {
  if (unwritable) process.stderr.write("error: the output cannot be written\n");
  process.exit(unwritable ? exitCode || 1 : exitCode);
}
