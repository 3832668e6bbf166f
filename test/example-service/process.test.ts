import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { TestSite } from "../cli/test-site.js";
import { freshPath, openRaw, statuses } from "../support/stores.js";
import { batchOf, call, jobEvents, keyOf, open, writeKeys } from "./service-under-test.js";

const MAIN = fileURLToPath(new URL("../../examples/service/dist/main.js", import.meta.url));

interface ServiceProcess {
  child: ChildProcess;
  /** Resolves once a line of its log says this; to the line. */
  logged(msg: string): Promise<Record<string, unknown>>;
  ended: Promise<{ code: number | string; stderr: string }>;
}

/** The built service as a process of its own; killed when the test ends. */
function spawnService(env: Record<string, string>): ServiceProcess {
  if (!existsSync(MAIN)) throw new Error("build first: npm run build:example");
  const child = spawn(process.execPath, [MAIN], { env: { PATH: process.env.PATH, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  let stderr = "";
  let onLine = () => {};
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdout.on("data", (chunk) => {
    log += chunk;
    onLine();
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code: code ?? signal, stderr }));
  return {
    child,
    ended,
    async logged(msg) {
      for (;;) {
        const found = log.split("\n").find((line) => line.includes(`"msg":"${msg}"`));
        if (found !== undefined) return JSON.parse(found);
        await Promise.race([
          new Promise<void>((resolve) => {
            onLine = resolve;
          }),
          ended.then((end) => Promise.reject(new Error(`ended without saying ${msg}: ${JSON.stringify(end)}`))),
        ]);
      }
    },
  };
}

async function startProcess(env: Record<string, string> = {}, path = freshPath()) {
  const site = await TestSite.start();
  onTestFinished(() => site.close());
  const keys = writeKeys(join(dirname(path), "keys.txt"), "alice");
  const service = spawnService({
    ...{ PORT: "0", STORE: path, API_KEYS_FILE: keys, ALLOW_PRIVATE_TARGETS: "yes", DRAIN_MS: "60000" },
    ...env,
  });
  const { port } = (await service.logged("listening")) as { port: number };
  const as = (method: string, at: string, body?: unknown) => call(port, method, at, { key: keyOf("alice"), body });
  return { site, path, service, port, as };
}

test("SIGTERM: nothing new is taken, what is live is finished and told, and the process ends with 0", async () => {
  const { site, path, service, port, as } = await startProcess();
  const gate = site.gate("/a");
  const { body } = await as("POST", "/v1/batch", batchOf(site, "/a", "/b"));
  await site.wasAsked("/a");
  const events = await open(port, "GET", `/v1/batch/${body.id}/events`, { key: keyOf("alice") });
  service.child.kill("SIGTERM");
  await service.logged("draining");

  const refused = await as("POST", "/v1/batch", batchOf(site, "/c"));
  const health = await call(port, "GET", "/healthz");
  const read = await as("GET", `/v1/batch/${body.id}`);
  expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([503, "ERR_CLOSED", "2"]);
  expect([health.status, health.body, read.status]).toEqual([503, { status: "draining" }, 200]);

  gate.open();
  expect(jobEvents(await events.text()).at(-1)).toMatchObject({ status: "done", targetsDone: 2 });
  expect(await service.ended).toEqual({ code: 0, stderr: "" });
  expect(statuses(openRaw(path))).toEqual({ [body.id as string]: "done" });
});

test("a drain that takes too long ends with 0 all the same, and the next process goes on with what is left", async () => {
  const first = await startProcess({ DRAIN_MS: "1" });
  first.site.page("/a", () => {});
  const { body } = await first.as("POST", "/v1/batch", batchOf(first.site, "/a", "/b"));
  await first.site.wasAsked("/a");
  first.service.child.kill("SIGTERM");
  expect(await first.service.ended).toEqual({ code: 0, stderr: "" });

  first.site.page("/a", (response) => response.end("late"));
  const { port } = await startProcess({}, first.path);
  const events = await open(port, "GET", `/v1/batch/${body.id}/events`, { key: keyOf("alice") });
  expect(jobEvents(await events.text()).at(-1)).toMatchObject({ status: "done", targetsDone: 2, targetsFailed: 0 });
});

test("a client that takes no answer does not hold the end up", async () => {
  const { site, service, port, as } = await startProcess();
  site.page("/large", (response) => response.end("x".repeat(1024 * 1024)));
  const paths = Array.from({ length: 16 }, (_, index) => `/large#${index}`);
  const { body } = await as("POST", "/v1/batch", batchOf(site, ...paths));
  const events = await open(port, "GET", `/v1/batch/${body.id}/events`, { key: keyOf("alice") });
  await events.text();
  const untaken = await open(port, "GET", `/v1/batch/${body.id}/results`, { key: keyOf("alice") });
  service.child.kill("SIGTERM");
  expect(await service.ended).toEqual({ code: 0, stderr: "" });
  await expect(untaken.text()).rejects.toThrow("terminated");
});

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)("a second signal (%s) ends the process at once", async (signal, exitCode) => {
  const { site, service, as } = await startProcess();
  site.page("/a", () => {});
  await as("POST", "/v1/batch", batchOf(site, "/a"));
  await site.wasAsked("/a");
  service.child.kill("SIGTERM");
  await service.logged("draining");
  service.child.kill(signal);
  expect((await service.ended).code).toBe(exitCode);
});

test("a job goes on after the process was killed, and its caller still owns it", async () => {
  const first = await startProcess();
  first.site.page("/b", () => {});
  const { body } = await first.as("POST", "/v1/batch", batchOf(first.site, "/a", "/b"));
  await first.site.wasAsked("/b");
  first.service.child.kill("SIGKILL");
  await first.service.ended;

  first.site.page("/b", (response) => response.end("at last"));
  const second = await startProcess({}, first.path);
  const events = await open(second.port, "GET", `/v1/batch/${body.id}/events`, { key: keyOf("alice") });
  expect(jobEvents(await events.text()).at(-1)).toMatchObject({ status: "done", targetsDone: 2 });
  expect(first.site.asked).toEqual(["/a", "/b", "/b"]);
});

test.each([
  [{ PORT: "x" }, 2, "error: PORT must be a whole number from 0 to 65535\n"],
  [{ API_KEYS_FILE: "" }, 2, "error: API_KEYS_FILE must be set\n"],
  [{ API_KEYS_FILE: "/nowhere/keys" }, 2, "error: API_KEYS_FILE cannot be read\n"],
  [{ STORE: "/nowhere/store" }, 2, "error: STORE cannot be opened\n"],
])("%o: the process says what is wrong and ends", async (env, code, stderr) => {
  const path = freshPath();
  const keys = writeKeys(join(dirname(path), "keys.txt"), "alice");
  const { ended } = spawnService({ PORT: "0", STORE: path, API_KEYS_FILE: keys, ...env });
  expect(await ended).toEqual({ code, stderr });
});

test("a second service on the same file is refused", async () => {
  const { path } = await startProcess();
  const { ended } = spawnService({ PORT: "0", STORE: path, API_KEYS_FILE: join(dirname(path), "keys.txt") });
  expect(await ended).toEqual({ code: 1, stderr: "error: the service could not be started (ERR_STORE_IN_USE)\n" });
});
