// A Redis server of our own on a free port, with its files in a folder that is gone afterwards.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { withFolder } from "./measure.mjs";

const SILENT_TRIES = 100;

/** What `redis-server --version` says of itself, or undefined where there is none. */
export function redisVersion() {
  try {
    return /v=(\S+)/.exec(execFileSync("redis-server", ["--version"], { encoding: "utf8" }))?.[1];
  } catch {
    return undefined;
  }
}

/** Runs work beside a server; `appendOnly`: with its append-only file, written to disk once a second as Redis does by default. */
export function withRedis({ appendOnly }, work) {
  return withFolder(async (folder) => {
    const port = await freePort();
    const file = ["--appendonly", appendOnly ? "yes" : "no", "--appendfsync", "everysec"];
    const where = ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", ""];
    const server = spawn("redis-server", [...where, ...file], { stdio: "ignore" });
    try {
      await answers(port);
      return await work(port);
    } finally {
      server.kill();
      if (server.exitCode === null) await once(server, "exit");
    }
  });
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

async function answers(port) {
  for (let tries = 0; tries < SILENT_TRIES; tries++) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch {
      await setTimeout(50);
    } finally {
      socket.destroy();
    }
  }
  throw new Error("redis-server does not answer");
}
