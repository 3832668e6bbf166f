import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { openSqliteStore } from "../../src/index.js";
import type { TargetPage } from "../../src/inspect/protocol.js";
import { Viewer } from "../inspect/viewer.js";
import { type FairbatchProcess, Workplace } from "./fairbatch-process.js";
import { TestSite } from "./test-site.js";

let site: TestSite;
let work: Workplace;
beforeEach(async () => {
  site = await TestSite.start();
  work = new Workplace();
});
afterEach(() => {
  site.close();
  work.remove();
});

const URL_LINE = /^inspector: (http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/)$/m;

async function urlFrom(process: FairbatchProcess): Promise<string> {
  await process.said("stderr", URL_LINE);
  return URL_LINE.exec(process.stderr)![1]!;
}

test("run --inspect prints the URL of a page that follows the run, and ends with it", async () => {
  const gate = site.gate("/a1");
  work.write("a.txt", site.url("/a1"), site.url("/a2"));
  const running = work.start("run", "a.txt", "--inspect", "--quiet");
  const viewer = await Viewer.look(await urlFrom(running));
  await site.wasAsked("/a1");
  await viewer.until(() => viewer.actor("worker-1")?.active[0] === "fetching");
  expect(viewer.shown().jobs).toMatchObject([{ status: "running", targetsTotal: 2, targetsDone: 0 }]);
  gate.open();
  expect((await running.ended).code).toBe(0);
  expect(viewer.text).not.toContain(site.url("/"));
});

test("run --inspect keeps its results on stdout, and says the URL once", async () => {
  work.write("a.txt", site.url("/a1"));
  const { code, stdout, stderr } = await work.run("run", "a.txt", "--json", "--inspect");
  expect([code, stdout.split("\n").length, stderr.match(/inspector: /g)?.length]).toEqual([0, 2, 1]);
  expect(stdout).not.toContain("inspector");
});

test("--reveal and --inspect-port alone ask for the page of a run too, as the help of run and resume says", async () => {
  work.write("a.txt", site.url("/a1"));
  const { code, stderr } = await work.run("run", "a.txt", "--quiet", "--reveal", "url");
  expect([code, stderr]).toEqual([0, expect.stringMatching(URL_LINE)]);
  // Of the other option a port that is taken tells.
  const { port } = new URL(site.url("/"));
  expect((await work.run("resume", "--inspect-port", port)).stderr).toContain(`--inspect-port ${port}: listen`);
  const implying = async (command: string) => {
    const help = (await work.run(command, "--help")).stdout.replaceAll(/\s+/g, " ");
    return help.match(/(?<= )--[\w-]+(?= <\w+> [^<>]+; implies --inspect )/g);
  };
  expect(await implying("run")).toEqual(["--inspect-port", "--reveal"]);
  expect(await implying("resume")).toEqual(["--inspect-port", "--reveal"]);
  expect(await implying("inspect")).toBe(null);
});

test("inspect serves the jobs of a store at rest until Ctrl-C, with what is revealed", async () => {
  work.write("a.txt", site.url("/a1"), site.url("/missing"));
  await work.run("run", "a.txt");
  const inspecting = work.start("inspect", "fairbatch.sqlite", "--reveal", "url,caller");
  const url = await urlFrom(inspecting);
  const viewer = await Viewer.look(url);
  await viewer.until(() => viewer.jobs.size === 1);
  const [job] = viewer.shown().jobs;
  expect(job).toMatchObject({ targetsTotal: 2, targetsDone: 2, caller: "cli" });
  expect(viewer.shown().spans.map(({ index, phase }) => [index, phase])).toEqual([
    [0, "fetching"],
    [1, "fetching"],
  ]);
  const page = (await (await fetch(`${url}targets?job=${job!.id}`)).json()) as TargetPage;
  expect(page.targets.map((target) => target.url)).toEqual([site.url("/a1"), site.url("/missing")]);
  inspecting.child.kill("SIGINT");
  expect((await inspecting.ended).code).toBe(0);
});

test("inspect shows what a run in another process does, and keeps it from nothing", async () => {
  const gate = site.gate("/a1");
  work.write("a.txt", site.url("/a1"));
  const running = work.start("run", "a.txt");
  await site.wasAsked("/a1");
  const inspecting = work.start("inspect", "fairbatch.sqlite");
  const viewer = await Viewer.look(await urlFrom(inspecting));
  await viewer.until(() => viewer.shown().jobs[0]?.status === "running");
  gate.open();
  await viewer.until(() => viewer.shown().jobs[0]?.status === "done");
  expect((await running.ended).code).toBe(0);
});

test.each([
  [["inspect", "none.sqlite"], "none.sqlite: there is no such file"],
  [["inspect", "x.sqlite", "--reveal", "urls"], "Give some of url, options, result, caller, error, hint."],
  [["inspect", "x.sqlite", "--inspect-port", "70000"], "The highest is 65535."],
  [["run", "a.txt", "--inspect", "--inspect-port", "0"], "Give a whole number, 1 or more."],
])("%j is refused with exit code 2", async (args, message) => {
  const store = await openSqliteStore(work.path("x.sqlite"));
  onTestFinished(() => store.close());
  const { code, stderr } = await work.run(...args);
  expect([code, stderr.includes(message)]).toEqual([2, true]);
});

test("a port that is taken ends the command with exit code 2, and nothing is run", async () => {
  work.write("a.txt", site.url("/a1"));
  const port = new URL(site.url("/")).port;
  const { code, stderr } = await work.run("run", "a.txt", "--inspect-port", port);
  expect([code, stderr.includes(`--inspect-port ${port}: listen EADDRINUSE`)]).toEqual([2, true]);
  expect((await work.run("list")).stderr).toBe("no jobs\n");
});
