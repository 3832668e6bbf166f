import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BatchStore } from "../../src/store/batch-store.js";
import { openSqliteStore } from "../../src/store/open-sqlite-store.js";
import { jsonLines, Workplace } from "./fairbatch-process.js";
import { TestSite } from "./test-site.js";

let work: Workplace;
beforeEach(() => {
  work = new Workplace();
});
afterEach(() => work.remove());

/** Puts jobs with these ids into the store, the oldest first. */
async function fill(...ids: string[]): Promise<void> {
  const store = await openSqliteStore(work.path("fairbatch.sqlite"));
  for (const id of ids) await admit(store, id);
  await store.close();
}

function admit(store: BatchStore, id: string, caller = "anna") {
  return store.admit({
    id,
    caller,
    callerClass: "test",
    idempotencyKey: id,
    targets: [{ url: "http://a.example/", options: "{}" }],
    nowSeconds: 1_772_359_509,
    ttlMs: 1_000,
    limits: { targetsPerJob: 1, jobsPerCaller: 5_000, jobsTotal: 5_000 },
  });
}

describe("a beginning of an id", () => {
  test("stands for the one job that begins so", async () => {
    await fill("abc1", "abd2", "abd");
    expect(JSON.parse((await work.run("show", "abc", "--json")).stdout).job.id).toBe("abc1");
    // The whole id of one job may be the beginning of another's.
    expect(JSON.parse((await work.run("show", "abd", "--json")).stdout).job.id).toBe("abd");
  });

  test("that fits several jobs ends with 2, none with 1", async () => {
    await fill("abc1", "abd2");
    const several = await work.run("cancel", "ab");
    expect(several).toEqual({ code: 2, stdout: "", stderr: "error: ab: 2 jobs begin so (abd2, abc1)\n" });
    const none = await work.run("show", "x");
    expect(none).toEqual({ code: 1, stdout: "", stderr: "error: x: there is no such job\n" });
  });

  test("is looked for among very many jobs", async () => {
    await fill("first", ...Array.from({ length: 1_200 }, (_, index) => `job-${index}`));
    expect(JSON.parse((await work.run("show", "fi", "--json")).stdout).job.id).toBe("first");
  });
});

describe("fairbatch list", () => {
  test("shows the jobs, newest first, of a caller or in a status, up to a limit", async () => {
    await fill("job-1", "job-2");
    const store = await openSqliteStore(work.path("fairbatch.sqlite"));
    await admit(store, "job-3", "bert");
    await store.cancel("job-1");
    await store.close();

    const { code, stdout, stderr } = await work.run("list");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.match(/job-\d/g)).toEqual(["job-3", "job-2", "job-1"]);
    expect(stdout).toMatch(/│ job-1 │ cancelled │ anna +│ 0 of 1 done, 0 failed, 1 left │ 2026-03-01 /);

    const ids = async (...args: string[]) =>
      jsonLines((await work.run("list", "--json", ...args)).stdout).map(({ id }) => id);
    expect(await ids("--caller", "bert")).toEqual(["job-3"]);
    expect(await ids("--status", "queued")).toEqual(["job-3", "job-2"]);
    expect(await ids("--limit", "1")).toEqual(["job-3"]);
    const more = "and more: --limit says how many are shown\n";
    expect((await work.run("list", "--limit", "2")).stderr).toBe(more);
    expect((await work.run("list", "--limit", "3")).stderr).toBe("");
    expect(await work.run("list", "--status", "done")).toEqual({ code: 0, stdout: "", stderr: "no jobs\n" });
    expect((await work.run("list", "--status", "gone")).code).toBe(2);
    expect((await work.run("list", "--limit", "0")).code).toBe(2);
  });
});

test.each([[["list"]], [["show", "a"]], [["cancel", "a"]]])(
  "%j of a store that is not there makes none",
  async (args) => {
    const { code, stdout, stderr } = await work.run(...args, "--db", "none.sqlite");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe("error: none.sqlite: there is no such file; --db names another\n");
    expect(existsSync(work.path("none.sqlite"))).toBe(false);
  },
);

test("an inspector of a store that is not there makes none", async () => {
  const { code, stderr } = await work.run("inspect", "none.sqlite");
  expect({ code, stderr }).toEqual({ code: 2, stderr: "error: none.sqlite: there is no such file\n" });
  expect(existsSync(work.path("none.sqlite"))).toBe(false);
});

describe("beside a runner at work", () => {
  let site: TestSite;
  beforeEach(async () => {
    site = await TestSite.start();
  });
  afterEach(() => site.close());

  test("jobs are shown, and cancelled before their next target", async () => {
    const gate = site.gate("/a2");
    work.write("a.txt", site.url("/a1"), site.url("/a2"), site.url("/a3"));
    const running = work.start("run", "a.txt", "--json");
    await site.wasAsked("/a2");
    await running.said("stdout", /\/a1/);
    const { job: id } = jsonLines(running.stdout)[0] as { job: string };

    expect(jsonLines((await work.run("list", "--json")).stdout)).toMatchObject([
      { id, status: "running", targetsDone: 1 },
    ]);
    const shown = await work.run("show", id.slice(0, 8));
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(
      new RegExp(`│ job ${id}: running \\| 1 of 3 done, 0 failed, 2 left \\| caller cli \\|`),
    );
    expect(shown.stdout).toMatch(/│ 1 +│ running │ 1 +│ http:.+\/a2 │/);
    expect(await work.run("cancel", id.slice(0, 8), "--json")).toEqual({
      code: 0,
      stdout: `{"id":"${id}","cancelled":true,"status":"cancelled"}\n`,
      stderr: "",
    });
    const again = await work.run("cancel", id);
    expect(again).toEqual({ code: 1, stdout: "", stderr: `job ${id.slice(0, 12)} was already cancelled\n` });

    gate.open();
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(1);
    expect(jsonLines(stdout).map(({ url }) => url)).toEqual([site.url("/a1"), site.url("/a2")]);
    expect(stderr).toMatch(/│ a\.txt: cancelled \| 2 of 3 done, 0 failed, 1 left \|/);
    expect(site.asked).toEqual(["/a1", "/a2"]);
  });

  test("--json shows the whole report, results too", async () => {
    work.write("a.txt", site.url("/a1"), `{"url": "${site.url("/a2")}", "options": {"jq": "."}}`);
    await work.run("run", "a.txt", "--caller", "anna");
    const { stdout } = await work.run("show", "", "--json");
    expect(JSON.parse(stdout)).toEqual({
      job: {
        id: expect.any(String),
        caller: "anna",
        callerClass: "cli",
        status: "done",
        error: "",
        targetsTotal: 2,
        targetsDone: 2,
        targetsFailed: 0,
        createdAt: expect.any(Number),
      },
      targets: [
        expect.objectContaining({ index: 0, status: "done", result: { content: "page /a1", meta: expect.anything() } }),
        expect.objectContaining({ index: 1, options: { jq: "." }, attempts: 1 }),
      ],
    });
  });
});
