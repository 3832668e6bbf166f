// What the numbers were measured on and with.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, cpus, platform, release, totalmem } from "node:os";
import Sqlite from "better-sqlite3";
import { redisVersion } from "./redis-server.mjs";

export function machine() {
  return {
    processor: cpus()[0].model.trim(),
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${platform()} ${release()} ${arch()}`,
  };
}

export function versions() {
  const peers = createRequire(import.meta.url);
  const own = createRequire(new URL("../../package.json", import.meta.url));
  const database = new Sqlite(":memory:");
  const { sqlite } = database.prepare("select sqlite_version() as sqlite").get();
  database.close();
  return {
    node: process.versions.node,
    sqlite,
    fairbatch: versionOf(own, "./package.json"),
    ...Object.fromEntries(["better-sqlite3", "xstate", "@xstate/store"].map((name) => [name, versionOf(own, name)])),
    ...Object.fromEntries(["plainjob", "bullmq", "ioredis", "p-queue"].map((name) => [name, versionOf(peers, name)])),
    redis: redisVersion() ?? "none",
  };
}

/** A package need not export its package.json, so the file is looked for where the package would be found. */
function versionOf(require, name) {
  if (name.startsWith(".")) return JSON.parse(readFileSync(require.resolve(name), "utf8")).version;
  for (const folder of require.resolve.paths(name)) {
    try {
      return JSON.parse(readFileSync(`${folder}/${name}/package.json`, "utf8")).version;
    } catch {
      // It may be further up.
    }
  }
  throw new Error(`${name} is not installed`);
}
