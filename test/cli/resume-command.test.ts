import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonLines, Workplace } from "./fairbatch-process.js";
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

/** Runs the files until a page of theirs is being fetched, and kills the process there. Resolves to the jobs left, newest first. */
async function cutOff(path: string, ...files: string[]): Promise<Record<string, unknown>[]> {
  site.page(path, () => {});
  const running = work.start("run", ...files);
  await site.wasAsked(path);
  running.child.kill("SIGKILL");
  await running.ended;
  site.page(path, (response) => response.end("at last"));
  site.asked.length = 0;
  return jsonLines((await work.run("list", "--json")).stdout);
}

test("resume goes on with every job that a killed run left, and prints what it stores", async () => {
  work.write("a.txt", site.url("/a1"), site.url("/a2"), site.url("/a3"));
  work.write("b.txt", site.url("/b1"), site.url("/b2"));
  const left = await cutOff("/a2", "a.txt", "b.txt");
  expect(left.map(({ status, targetsDone }) => [status, targetsDone])).toEqual([
    ["running", 1],
    ["running", 1],
  ]);
  const [b, a] = left.map(({ id }) => String(id).slice(0, 12));

  const { code, stdout, stderr } = await work.run("resume", "--json");
  expect(code).toBe(0);
  expect(site.asked).toEqual(["/a2", "/b2", "/a3"]);
  expect(jsonLines(stdout)).toMatchObject([
    { file: `job ${a}`, index: 1, status: "done", attempts: 2, result: { content: "at last" } },
    { file: `job ${b}`, index: 1, status: "done", attempts: 1 },
    { file: `job ${a}`, index: 2, status: "done", attempts: 1 },
  ]);
  expect(stderr).toMatch(new RegExp(`^job ${a} of .+ goes on: 1 of 3 done, 0 failed, 2 left$`, "m"));
  expect(stderr).toMatch(new RegExp(`│ job ${a}: done \\| 3 of 3 done, 0 failed \\|`));
  expect(jsonLines((await work.run("list", "--json")).stdout).map(({ status }) => status)).toEqual(["done", "done"]);
});

test("run --resume goes on with them beside its own files, and knows a file again whose job is still at work", async () => {
  work.write("a.txt", site.url("/a1"), site.url("/a2"));
  work.write("b.txt", site.url("/b1"), site.url("/b2"));
  const [left] = await cutOff("/a1", "a.txt");
  const { code, stdout, stderr } = await work.run("run", "b.txt", "a.txt", "--resume", "--json");
  const short = String(left?.id).slice(0, 12);
  expect(code).toBe(0);
  expect(site.asked.toSorted()).toEqual(["/a1", "/a2", "/b1", "/b2"]);
  expect(stderr).toContain(`a.txt: has the targets of job ${short}, and is the same job\n`);
  expect(
    jsonLines(stdout)
      .map(({ file }) => file)
      .toSorted(),
  ).toEqual(["a.txt", "a.txt", "b.txt", "b.txt"]);
  expect(jsonLines((await work.run("list", "--json")).stdout).map(({ status }) => status)).toEqual(["done", "done"]);
});

test("without --resume a run puts them aside as interrupted, and resume finds nothing any more", async () => {
  work.write("a.txt", site.url("/a1"));
  work.write("b.txt", site.url("/b1"));
  await cutOff("/a1", "a.txt");
  expect((await work.run("run", "b.txt")).code).toBe(0);
  expect(jsonLines((await work.run("list", "--json")).stdout)).toMatchObject([
    { status: "done" },
    { status: "failed", error: "interrupted" },
  ]);
  expect(await work.run("resume")).toEqual({ code: 0, stdout: "", stderr: "no unfinished jobs to go on with\n" });
});

test("a page that kills its process every time fails as interrupted after three, and the rest is done", {
  timeout: 60_000,
}, async () => {
  work.write(
    "deadly.mjs",
    "export default ({ url }) => {",
    '  if (url === "poison") process.kill(process.pid, "SIGKILL");',
    '  return { content: "" };',
    "};",
  );
  work.write("a.txt", "fine", "poison", "fine too");
  const args = ["--fetch", "./deadly.mjs", "--json"];
  expect((await work.run("run", "a.txt", ...args)).code).toBe(null);
  for (let death = 2; death <= 3; death++) expect((await work.run("resume", ...args)).code).toBe(null);
  const { code, stdout } = await work.run("resume", ...args);
  expect(code).toBe(1);
  expect(jsonLines(stdout)).toMatchObject([
    { url: "poison", status: "failed", error: "interrupted", attempts: 3 },
    { url: "fine too", status: "done", attempts: 1 },
  ]);
});

test("resume wants a store that is there, and one that nobody works on", async () => {
  expect(await work.run("resume")).toMatchObject({
    code: 2,
    stderr: "error: fairbatch.sqlite: there is no such file; --db names another\n",
  });
  const gate = site.gate("/a1");
  work.write("a.txt", site.url("/a1"));
  const running = work.start("run", "a.txt");
  await site.wasAsked("/a1");
  const { code, stderr } = await work.run("resume");
  expect(code).toBe(2);
  expect(stderr).toBe("error: fairbatch.sqlite: another runner works on it; wait for it, or give another --db\n");
  gate.open();
  expect((await running.ended).code).toBe(0);
});
