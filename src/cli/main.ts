#!/usr/bin/env node
import { runProgram } from "./program.js";

// Whoever reads our output may go at any time; a run stops then (stop-signals.ts), the other commands just end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const exitCode = await runProgram(process.argv.slice(2));
// A fetch that was given up may still be at work, and would keep the process alive.
process.stdout.write("", () => process.exit(exitCode));
