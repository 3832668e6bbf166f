// The parent's side: each measurement runs in a process of its own, so that no compiled code and no heap is handed on.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const HANGING_MS = 10 * 60 * 1000;

/** Runs `contenders/<contender>.mjs` with these options and a folder that is gone afterwards. */
export function measure(contender, options, nodeFlags = []) {
  const file = fileURLToPath(new URL(`../contenders/${contender}.mjs`, import.meta.url));
  return withFolder(async (folder) => {
    const argument = JSON.stringify({ ...options, folder });
    const { stdout } = await run(process.execPath, [...nodeFlags, file, argument], { timeout: HANGING_MS });
    return JSON.parse(stdout.trimEnd().split("\n").at(-1));
  });
}

export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "fairbatch-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
