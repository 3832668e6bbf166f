// npm run bench                    everything; writes results.json and the table in README.md
// npm run bench -- floor live-jobs only these comparisons; writes nothing
// npm run bench -- --rounds 5      more rounds than three
// npm run bench -- --smoke         everything at small sizes and without Redis, to see that it still runs; writes nothing
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { installPeers } from "./support/install-peers.mjs";

const COMPARISONS = [
  "floor",
  "shared-by-jobs",
  "plainjob",
  "bullmq",
  "p-queue",
  "turnaround",
  "live-jobs",
  "live-memory",
  "large-job",
  "kept-jobs",
  "many-workers",
  "inspectors",
  "start-up",
  "service",
];

const FULL_SIZE = {
  rounds: 3,
  targets: 20_000,
  jobs: 8,
  sharedBy: [8, 100, 10_000],
  redis: true,
  live: [10, 100, 1_000, 10_000],
  submits: 500,
  warmUp: 2_000,
  memoryJobs: 10_000,
  largeJob: 100_000,
  kept: 100_000,
  workers: 64,
  // Where none shares a commit, each waits for the disk.
  durableLaneTargets: 6_400,
  clients: 200,
  loadSeconds: 60,
};

const SMOKE_SIZE = {
  rounds: 1,
  targets: 40,
  jobs: 4,
  sharedBy: [20],
  redis: false,
  live: [10, 20],
  submits: 10,
  warmUp: 10,
  memoryJobs: 20,
  largeJob: 100,
  kept: 40,
  workers: 4,
  durableLaneTargets: 8,
  clients: 20,
  loadSeconds: 3,
};

const { values, positionals } = parseArgs({
  options: { smoke: { type: "boolean" }, rounds: { type: "string" } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !COMPARISONS.includes(name));
if (unknown !== undefined) throw new Error(`no comparison is named ${unknown}: there are ${COMPARISONS.join(", ")}`);
installPeers();
// What imports a peer can only be loaded once the peers are there.
const [{ machine, versions }, { goalTable, report, section }] = await Promise.all([
  import("./support/machine.mjs"),
  import("./support/report.mjs"),
]);

const size = {
  ...(values.smoke ? SMOKE_SIZE : FULL_SIZE),
  ...(values.rounds ? { rounds: Number(values.rounds) } : {}),
};
const comparisons = [];
for (const name of positionals.length > 0 ? positionals : COMPARISONS) {
  const { title, inside, compare } = await import(`./comparisons/${name}.mjs`);
  const comparison = { name, title, inside, ...(await compare(size)) };
  comparisons.push(comparison);
  console.log(`${section(comparison)}\n`);
}

if (!values.smoke) console.log(goalTable(comparisons.flatMap(({ goals = [] }) => goals)));
if (!values.smoke && positionals.length === 0) {
  const results = { measuredAt: new Date().toISOString(), machine: machine(), versions: versions(), size, comparisons };
  writeFileSync(new URL("results.json", import.meta.url), `${JSON.stringify(results, null, 2)}\n`);
  writeReadme(report(results));
}

function writeReadme(text) {
  const file = new URL("README.md", import.meta.url);
  const between = /(<!-- results -->).*(<!-- end of results -->)/s;
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(between, (_, begin, end) => `${begin}\n\n${text}\n\n${end}`),
  );
}
