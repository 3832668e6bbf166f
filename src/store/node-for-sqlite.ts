import { createRequire } from "node:module";

/** From 13 on, better-sqlite3 ends an older Node with a segmentation fault. npm minds what it asks for; pnpm and a lock file of elsewhere do not. */
const NEEDS = { sqlite: 13, node: 22 };

/** Throws where opening a database with the better-sqlite3 that is installed would end the process. */
export function checkNodeForSqlite(): void {
  const sqlite = installedVersion();
  if (sqlite !== undefined && endsProcess(sqlite, process.versions.node)) {
    throw new Error(
      `better-sqlite3 ${sqlite} needs Node ${NEEDS.node} or later, and this is Node ${process.versions.node}: ` +
        `install better-sqlite3@${NEEDS.sqlite - 1} beside fairbatch`,
    );
  }
}

/** Of versions such as `13.2.0`. */
export function endsProcess(sqlite: string, node: string): boolean {
  return Number.parseInt(sqlite, 10) >= NEEDS.sqlite && Number.parseInt(node, 10) < NEEDS.node;
}

/** Undefined where it cannot be told, as in a bundle. */
function installedVersion(): string | undefined {
  try {
    return createRequire(import.meta.url)("better-sqlite3/package.json").version;
  } catch {
    return undefined;
  }
}
