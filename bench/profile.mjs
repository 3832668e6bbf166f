// Where the time of fairbatch goes with one worker and 8 jobs: self time by groups of code, and the functions that take most.
// Usage: npm run build && node bench/profile.mjs [targets]
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPeers } from "./support/install-peers.mjs";
import { withFolder } from "./support/measure.mjs";

const GROUPS = [
  ["garbage collection", ({ functionName }) => functionName === "(garbage collector)"],
  ["idle", ({ functionName }) => functionName === "(idle)"],
  ["other native code", ({ functionName }) => functionName === "(program)"],
  // A native call without a frame of its own counts as the function that made it.
  ["SQLite: begin and commit", ({ url }) => url.includes("/better-sqlite3/")],
  ["SQLite: statements, and binding their values", ({ url }) => url.endsWith("/dist/store/statement.js")],
  ["xstate", ({ url }) => url.includes("/node_modules/xstate/")],
  ["@xstate/store", ({ url }) => url.includes("/node_modules/@xstate/")],
  ["fairbatch: machines", ({ url }) => url.includes("/dist/machines/")],
  ["fairbatch: runner", ({ url }) => url.includes("/dist/runner/")],
  ["fairbatch: store", ({ url }) => url.includes("/dist/store/")],
  ["fairbatch: shared words", ({ url }) => url.includes("/dist/")],
  ["Kysely, pino and other packages", ({ url }) => url.includes("/node_modules/")],
  ["Node itself", ({ url }) => url.startsWith("node:")],
  ["the benchmark", ({ url }) => url.includes("/bench/")],
];
const MOST = 30;

installPeers();
await withFolder((folder) => {
  const targets = Number(process.argv[2] ?? 20_000);
  const options = JSON.stringify({ folder, targets, jobs: 8 });
  const contender = fileURLToPath(new URL("contenders/fairbatch.mjs", import.meta.url));
  execFileSync(process.execPath, [
    "--cpu-prof",
    "--cpu-prof-interval=200",
    `--cpu-prof-dir=${folder}`,
    contender,
    options,
  ]);
  const file = readdirSync(folder).find((name) => name.endsWith(".cpuprofile"));
  const selves = selfTimes(JSON.parse(readFileSync(join(folder, file), "utf8")));
  const whole = selves.reduce((sum, { microseconds }) => sum + microseconds, 0);
  print(
    sumBy(selves, ({ frame }) => groupOf(frame)),
    whole,
  );
  console.log();
  print(sumBy(selves, ({ frame }) => nameOf(frame)).slice(0, MOST), whole);
});

/** A native function has no file: its time belongs to whoever called it. */
function selfTimes({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, { ...node, microseconds: 0, frame: node.callFrame }]));
  for (const node of byId.values()) {
    for (const child of node.children ?? []) {
      const called = byId.get(child);
      if (called.callFrame.url === "" && !called.callFrame.functionName.startsWith("(")) {
        called.frame = { ...node.frame, functionName: `${called.callFrame.functionName} (native)` };
      }
    }
  }
  samples.forEach((id, place) => {
    byId.get(id).microseconds += timeDeltas[place];
  });
  return [...byId.values()];
}

function groupOf(frame) {
  return GROUPS.find(([, fits]) => fits(frame))?.[0] ?? "others";
}

function nameOf({ functionName, url, lineNumber }) {
  return `${functionName || "(anonymous)"} ${url.split("/").slice(-3).join("/")}:${lineNumber + 1}`;
}

function sumBy(selves, keyOf) {
  const sums = new Map();
  for (const self of selves) sums.set(keyOf(self), (sums.get(keyOf(self)) ?? 0) + self.microseconds);
  return [...sums].sort(([, a], [, b]) => b - a);
}

function print(sums, whole) {
  for (const [name, microseconds] of sums) {
    console.log(
      `${((100 * microseconds) / whole).toFixed(1).padStart(5)} %  ${(microseconds / 1000).toFixed(0).padStart(6)} ms  ${name}`,
    );
  }
}
