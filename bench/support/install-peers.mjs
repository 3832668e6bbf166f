// The peers are installed here and nowhere else, when their lock file is newer than what is installed.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("..", import.meta.url);

export function installPeers() {
  if (changedMs("package-lock.json") <= changedMs("node_modules/.package-lock.json")) return;
  // No install script is needed: better-sqlite3 is the project's own copy, which is built.
  const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["ci", ...quietly], { cwd: fileURLToPath(FOLDER), stdio: ["ignore", "ignore", "inherit"] });
}

function changedMs(file) {
  return statSync(new URL(file, FOLDER), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
