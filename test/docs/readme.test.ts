import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const project = resolve(import.meta.dirname, "../..");
const readme = readFileSync(join(project, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(\w+)(?: run=(\w+))?\n([\s\S]*?)^```$/gm)].map((match) => ({
  language: match[1] as string,
  name: match[2],
  code: match[3] as string,
}));

const site = createServer((request, response) => response.end(`page ${request.url}`));
const folder = mkdtempSync(join(tmpdir(), "fairbatch-readme-"));
let address = "";

beforeAll(async () => {
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  address = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(project, join(folder, "node_modules/fairbatch"));
  for (const name of ["xstate", "prom-client", "vitest", "@statelyai"]) {
    symlinkSync(join(project, "node_modules", name), join(folder, "node_modules", name));
  }
});
afterAll(() => {
  site.close();
  rmSync(folder, { recursive: true });
});

/** Runs code as a module of its own, in a folder where only the published names resolve. */
async function run(name: string, code: string): Promise<{ exit: number | null; output: string }> {
  writeFileSync(join(folder, `${name}.mjs`), code.replaceAll("127.0.0.1:8080", address));
  return outputOf([`${name}.mjs`]);
}

async function outputOf(args: string[]): Promise<{ exit: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd: folder });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const [exit] = await once(child, "close");
  return { exit, output };
}

function code(name: string): string {
  const block = blocks.find((candidate) => candidate.name === name);
  if (block === undefined) throw new Error(`README has no block run=${name}`);
  return block.code;
}

test("README: the embedding example runs as written, in about 20 lines", async () => {
  const embed = code("embed");
  expect(embed.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(20);
  const { exit, output } = await run("embed", `${embed}\nawait runner.close();\nawait store.close();`);
  const lines = output.split("\n").slice(0, -1);
  expect({ exit, lines: [lines.at(-3), ...lines.slice(-2)] }).toEqual({
    exit: 0,
    lines: ["done 2/2", `http://${address}/a done `, `http://${address}/b done `],
  });
});

test("README: the drain example ends the process by itself after SIGTERM", async () => {
  const { exit, output } = await run(
    "drain",
    `${code("embed")}\n${code("drain")}\n` +
      'await runner.submit({ caller: { name: "bob" }, callerClass: "", targets: [{ url: "http://127.0.0.1:8080/c" }] });\n' +
      'const alive = setInterval(() => {}, 1000);\nprocess.once("SIGTERM", () => clearInterval(alive));\n' +
      'process.kill(process.pid, "SIGTERM");\nconsole.log("sent");',
  );
  expect({ exit, sent: output.includes("sent") }).toEqual({ exit: 0, sent: true });
});

test("README: the resume example goes on with a job that a closed runner left", async () => {
  const { exit, output } = await run(
    "resume",
    'import { createBatchRunner, openSqliteStore } from "fairbatch";\n' +
      'const store = await openSqliteStore("resume.sqlite");\n' +
      'const accounts = new Map([["alice", { name: "alice" }]]);\n' +
      'const fetch = () => ({ content: "" });\n' +
      "const first = await createBatchRunner({ store, fetch: () => new Promise(() => {}) });\n" +
      'const targets = [{ url: "a" }];\n' +
      'const { id } = await first.submit({ caller: { name: "alice" }, callerClass: "", targets });\n' +
      "await first.close({ timeoutMs: 1 });\n" +
      `${code("resume")}\nawait runner.idle();\n` +
      "console.log((await runner.status(id)).job.status);\nawait runner.close();",
  );
  expect({ exit, output }).toEqual({ exit: 0, output: "done\n" });
});

test("README: the inspector example prints every actor's events, and no URL", async () => {
  const { exit, output } = await run("inspect", code("inspect"));
  expect({ exit, url: output.includes("example.com") }).toEqual({ exit: 0, url: false });
  expect(output).toMatch(/worker-1 fetch\.settled/);
});

const RUNNABLE =
  'import { createBatchRunner, openSqliteStore } from "fairbatch";\n' +
  'const store = await openSqliteStore(":memory:");\nconst fetch = () => ({ content: "" });\n';
const ONE_JOB =
  'await runner.submit({ caller: { name: "bob" }, callerClass: "", targets: [{ url: "u" }] });\n' +
  'await runner.idle();\nconsole.log("idle");\n';

test("README: the page's example prints a URL, and the process ends by itself", async () => {
  const { exit, output } = await run("look", `${RUNNABLE}${code("look")}${ONE_JOB}`);
  expect({ exit, output }).toEqual({
    exit: 0,
    output: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/\nidle\n$/),
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0);
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

test("README: the example with Stately's inspector runs as written, but for its port and browser", async () => {
  const port = String(await freePort());
  const stately = code("stately").replaceAll("8080", port).replace("autoOpen: true", "autoOpen: false");
  const { exit, output } = await run("stately", `${RUNNABLE}${stately}${ONE_JOB}process.exit(0);`);
  expect({ exit, output }).toEqual({ exit: 0, output: "idle\n" });
});

test("README: the machine example prints the states of a job", async () => {
  const { exit, output } = await run("machines", code("machines"));
  expect({ exit, last: output.trim().split("\n").at(-1) }).toEqual({ exit: 0, last: "done" });
});

test("README: the metrics example serves what a run counts, and its own hook is told too", async () => {
  const { exit, output } = await run(
    "metrics",
    `${code("metrics").replace("9464", "0")}\n` +
      'await runner.submit({ caller: { name: "alice" }, callerClass: "", targets: [{ url: "https://example.com/" }] });\n' +
      "await runner.idle();\nawait runner.close();\n" +
      'const response = await fetch("http://127.0.0.1:" + server.address().port + "/metrics");\n' +
      "console.log(await response.text());\nserver.close();\nserver.closeAllConnections();",
  );
  const lines = output.split("\n").filter((line) => /^a job|_jobs_total\{outcome="done"\}|example\.com/.test(line));
  expect({ exit, lines }).toEqual({
    exit: 0,
    lines: ["a job: created", "a job: done", 'fairbatch_jobs_total{outcome="done"} 1'],
  });
});

test("README: the metrics that the table names are those there are", async () => {
  const { Registry } = await import("prom-client");
  const { prometheusHooks } = await import("../../src/prometheus/index.js");
  const register = new Registry();
  prometheusHooks(register);
  const named = [...readme.matchAll(/`(fairbatch_\w+)`(?=[^\n]*\|)/g)].map((match) => match[1]);
  expect(named).toEqual(register.getMetricsAsArray().map(({ name }) => name));
});

test("README: the example of a vitest test passes as written", async () => {
  writeFileSync(join(folder, "example.test.mjs"), code("testing"));
  const vitest = join(project, "node_modules/vitest/vitest.mjs");
  const { exit, output } = await outputOf([
    vitest,
    "run",
    "example.test.mjs",
    "--reporter=json",
    "--testTimeout=60000",
  ]);
  const { numPassedTests, numTotalTests } = JSON.parse(output.slice(output.indexOf("{")));
  expect({ exit, numPassedTests, numTotalTests }).toEqual({ exit: 0, numPassedTests: 2, numTotalTests: 2 });
});

test("README: every JavaScript block is one that a test runs", () => {
  const names = blocks.filter(({ language }) => language === "js").map(({ name }) => name);
  expect(names).toEqual(["embed", "drain", "resume", "inspect", "look", "stately", "machines", "metrics", "testing"]);
});

test("README: every shell command exists", async () => {
  const scripts = Object.keys(JSON.parse(readFileSync(join(project, "package.json"), "utf8")).scripts);
  const shell = blocks
    .filter(({ language }) => language === "sh")
    .map((block) => block.code)
    .join("\n");
  const npmScripts = [...shell.matchAll(/npm (?:run )?(test|(?<=run )\S+)/g)].map((match) => match[1]);
  expect(npmScripts).toEqual(["demo", "test"]);
  expect(scripts).toEqual(expect.arrayContaining(npmScripts as string[]));
  const commands = [...shell.matchAll(/npx fairbatch (\w+)/g)].map((match) => match[1] as string);
  expect(commands).toEqual(["run", "list", "show", "cancel", "resume", "inspect"]);
  for (const command of commands) {
    const child = spawn(process.execPath, [join(project, "dist/cli/main.js"), command, "--help"]);
    expect({ command, exit: (await once(child, "close"))[0] }).toEqual({ command, exit: 0 });
  }
});
