import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonLines, MAIN, Workplace } from "./fairbatch-process.js";
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

async function targetsOf(beginning: string): Promise<unknown> {
  const { stdout } = await work.run("show", beginning, "--json");
  return JSON.parse(stdout).targets;
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)(
  "%s closes cleanly: stored or left pending, the summary printed, exit code %d",
  async (signal, exitCode) => {
    site.page("/a2", () => {});
    work.write("a.txt", site.url("/a1"), site.url("/a2"), site.url("/a3"));
    const running = work.start("run", "a.txt", "--json");
    await site.wasAsked("/a2");
    running.child.kill(signal);
    const { code, stdout, stderr } = await running.ended;

    expect(code).toBe(exitCode);
    expect(jsonLines(stdout)).toMatchObject([{ url: site.url("/a1"), status: "done" }]);
    expect(stderr).toMatch(/stopping.+│ a\.txt: stopped \| 1 of 3 done, 0 failed, 2 left \|/s);
    expect(stderr).toMatch(/\nto go on with what is left: fairbatch resume\n$/);
    const { job } = jsonLines(stdout)[0] as { job: string };
    expect(await targetsOf(job)).toMatchObject([{ status: "done" }, { status: "pending" }, { status: "pending" }]);

    // The next run puts the job aside and begins afresh, and says so.
    site.page("/a2", (response) => response.end());
    const next = await work.run("run", "a.txt");
    expect(next.code).toBe(0);
    expect(next.stderr).toContain("an unfinished job of an earlier run is given up; --resume would go on with it\n");
    expect(next.stderr).not.toContain("interrupted");
    expect(jsonLines((await work.run("list", "--json")).stdout)).toMatchObject([
      { status: "done" },
      { id: job, status: "failed", error: "interrupted" },
    ]);
  },
);

test("a second Ctrl-C ends at once, though a fetch ignores the first", async () => {
  work.write(
    "deaf.mjs",
    "export default () => {",
    '  console.error("fetching");',
    "  return new Promise((resolve) => setTimeout(resolve, 600_000));",
    "};",
  );
  work.write("a.txt", "x");
  const running = work.start("run", "a.txt", "--fetch", "./deaf.mjs");
  await running.said("stderr", /fetching/);
  running.child.kill("SIGINT");
  await running.said("stderr", /stopping/);
  running.child.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
});

test("a target that is stored while the run closes is printed too", async () => {
  work.write(
    "late.mjs",
    "export default (target, { signal }) =>",
    "  new Promise((resolve) => {",
    '    console.error("fetching");',
    '    signal.addEventListener("abort", () => resolve({ content: "made it" }));',
    "  });",
  );
  work.write("a.txt", "x", "y");
  const running = work.start("run", "a.txt", "--fetch", "./late.mjs", "--json");
  await running.said("stderr", /fetching/);
  running.child.kill("SIGINT");
  const { code, stdout } = await running.ended;
  expect(code).toBe(130);
  expect(jsonLines(stdout)).toMatchObject([{ url: "x", result: { content: "made it" } }]);
});

test("a reader that goes away ends the run quietly, with no target left in flight", async () => {
  work.write("a.txt", ...Array.from({ length: 200 }, (_, index) => site.url(`/${index}`)));
  const running = work.start("run", "a.txt", "--json");
  await running.said("stdout", /\n/);
  running.child.stdout.destroy();
  const { code, stderr } = await running.ended;
  expect(code).toBe(141);
  expect(stderr).toMatch(/^a\.txt: job [0-9a-f]{12}, 200 targets\n$/);
  expect(site.asked.length).toBeLessThan(200);
  const targets = (await targetsOf("")) as { status: string }[];
  expect(new Set(targets.map(({ status }) => status))).toEqual(new Set(["done", "pending"]));
});

test("in a pipe to head, the pipe ends as pipes do", () => {
  work.write("fetch.mjs", 'export default () => ({ content: "x".repeat(10_000) });');
  work.write("a.txt", ...Array.from({ length: 500 }, (_, index) => `${index}`));
  const command = `"${process.execPath}" "${MAIN}" run a.txt --fetch ./fetch.mjs --json --quiet | head -1`;
  const { stdout, stderr, status } = spawnSync("sh", ["-c", command], { cwd: work.folder, encoding: "utf8" });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  expect(jsonLines(stdout)).toMatchObject([{ index: 0 }]);
});

test("a fetch that waits for nothing at all keeps the process alive, and one signal ends it in bounded time", async () => {
  work.write("never.mjs", 'export default () => { console.error("fetching"); return new Promise(() => {}); };');
  work.write("a.txt", "x");
  const running = work.start("run", "a.txt", "--fetch", "./never.mjs", "--quiet");
  await running.said("stderr", /fetching/);
  running.child.kill("SIGTERM");
  expect((await running.ended).code).toBe(143);
});

test("an output that cannot be written is said, and is no success", async () => {
  work.write("a.txt", site.url("/a1"));
  const command = `"${process.execPath}" "${MAIN}" run a.txt --json --quiet > /dev/full`;
  const { code, stderr } = await work.spawn("sh", ["-c", command]).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: the output cannot be written$/m);
});
