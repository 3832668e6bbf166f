import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, onTestFinished, test } from "vitest";

const project = fileURLToPath(new URL("../..", import.meta.url));

let folder: string;
let doc: string;

/** A copy of what the script needs, with a document that it has just written. */
beforeEach(() => {
  if (!existsSync(join(project, "dist/machines/index.js"))) throw new Error("build first: npm run build");
  folder = mkdtempSync(join(tmpdir(), "fairbatch-diagrams-"));
  doc = join(folder, "docs/state-machines.md");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["scripts", "dist", "package.json"])
    cpSync(join(project, name), join(folder, name), { recursive: true });
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "docs"));
  expect(run()).toEqual({ status: 0, stderr: "" });
});

function run(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, "scripts/diagrams.mjs"), ...args], {
    encoding: "utf8",
  });
  return { status, stderr };
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, "utf8");
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

const STALE = {
  status: 1,
  stderr: "docs/state-machines.md is stale; refresh it: npm run build && npm run diagrams\n",
};

test("what was just written is not stale, comes out the same again, and may have been checked out with CRLF", () => {
  const written = readFileSync(doc, "utf8");

  expect(run("--check")).toEqual({ status: 0, stderr: "" });
  expect(run()).toEqual({ status: 0, stderr: "" });
  expect(readFileSync(doc, "utf8")).toBe(written);
  writeFileSync(doc, written.replaceAll("\n", "\r\n"));
  expect(run("--check")).toEqual({ status: 0, stderr: "" });
});

test("a changed document is stale, is left as it is by the check, and is put right by a run without it", () => {
  const written = readFileSync(doc, "utf8");
  edit(doc, "storing --> idle", "storing --> starting");
  const changed = readFileSync(doc, "utf8");

  expect(run("--check")).toEqual(STALE);
  expect(readFileSync(doc, "utf8")).toBe(changed);
  run();
  expect(readFileSync(doc, "utf8")).toBe(written);
});

test("a missing document is stale", () => {
  rmSync(doc);

  expect(run("--check")).toEqual(STALE);
});

test("a changed machine makes the document stale", () => {
  edit(join(folder, "dist/machines/worker-machine.js"), '"target.faulted": "storing"', '"target.faulted": "deferring"');

  expect(run("--check")).toEqual(STALE);
  run();
  expect(readFileSync(doc, "utf8")).toContain("starting --> deferring : target.faulted");
});

test("a state that nobody described is refused, and so is a description without a state", () => {
  edit(join(folder, "scripts/state-machine-words.mjs"), '"queued.waiting":', '"queued.sleeping":');

  expect(run()).toEqual({
    status: 1,
    stderr:
      "scripts/state-machine-words.mjs: states of the job: not described: [queued.waiting], not in the machine: [queued.sleeping]\n",
  });
});

test("draws nested states under unique ids, with guards, delays and entry actions", () => {
  const [turn, outline, job, worker, scheduler] = [
    ...readFileSync(doc, "utf8").matchAll(/```mermaid\n(.*?)\n```/gs),
  ].map(([, text]) => text ?? "");

  expect(turn).toMatch(/^sequenceDiagram\n/);
  for (const diagram of [outline, job, worker, scheduler]) expect(diagram).toMatch(/^stateDiagram-v2\n {2}\[\*\] --> /);
  const ids = [...(job ?? "").matchAll(/ as (\w+)/g)].map(([, id]) => id);
  expect([new Set(ids).size, ids.includes("draining_saving_writing")]).toEqual([ids.length, true]);
  expect(job).toContain("running_ready --> cancelled : job.cancel");
  expect(job).toContain("running_waiting --> running_ready : after wait");
  expect(job).toContain("running_target_stored --> partial : [endsPartial]");
  expect(job).toContain("running_saving_writing : entry / saveTarget");
  expect(worker).toContain("fetching --> deferring : fetch.settled [isRetryLater]");
  expect(scheduler).toContain("open --> closed : scheduler.close");
});
