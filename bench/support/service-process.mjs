// The example service as a process of its own, with a key for each client.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../examples/service/dist/main.js", import.meta.url));

export const keyOf = (client) => `key-of-client-${client}`;

export async function startService(folder, clients) {
  const keys = join(folder, "keys.txt");
  writeFileSync(keys, Array.from({ length: clients }, (_, client) => keyLine(client)).join("\n"));
  const env = { PORT: "0", STORE: join(folder, "load.sqlite"), API_KEYS_FILE: keys, ALLOW_PRIVATE_TARGETS: "yes" };
  const caps = { JOBS_TOTAL: String(2 * clients), WORKERS: "16", MAX_STORE_BYTES: String(2 ** 30) };
  const child = spawn(process.execPath, [MAIN], {
    env: { ...env, ...caps, LOG_LEVEL: "info" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const port = await listening(child);
  const agent = new Agent({ keepAlive: true });
  return {
    call: (key, method, path, body) => call({ port, agent, key, method, path, body }),
    async metrics() {
      const { text } = await call({ port, agent, method: "GET", path: "/metrics" });
      const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
      return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
    },
    /** Asks it to end; resolves to its exit code. */
    async end() {
      child.kill("SIGTERM");
      const [code] = await exited;
      agent.destroy();
      return code;
    },
  };
}

function keyLine(client) {
  return `client-${client} load ${createHash("sha256").update(keyOf(client)).digest("hex")}`;
}

async function listening(child) {
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const { msg, port } = JSON.parse(line);
    if (msg !== "listening") continue;
    // The rest of its log is read and dropped, as a log collector would read it.
    child.stdout.resume();
    return port;
  }
  throw new Error("the service does not start");
}

function call({ port, agent, key, method, path, body }) {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    request({ host: "127.0.0.1", port, agent, method, path, headers }, (response) => {
      let text = "";
      response
        .setEncoding("utf8")
        .on("data", (chunk) => {
          text += chunk;
        })
        .on("end", () => resolve({ status: response.statusCode, text }))
        .on("error", reject);
    })
      .on("error", reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}
