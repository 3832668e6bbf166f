import { existsSync, readFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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

describe("fairbatch run", () => {
  test("runs files in turns, prints each stored target, and ends with a table a job", async () => {
    site.page("/b2", (response) => response.writeHead(404).end());
    work.write("a.txt", "# mine", site.url("/a1"), "", `{"url": "${site.url("/a2")}", "options": {"mode": "x"}}`);
    work.write("b.txt", site.url("/b1"), site.url("/b2"), site.url("/b3"));
    const { code, stdout, stderr } = await work.run("run", "a.txt", "b.txt", "--json");

    expect(site.asked).toEqual(["/a1", "/b1", "/a2", "/b2", "/b3"]);
    const lines = jsonLines(stdout);
    expect(lines.map(({ url }) => new URL(String(url)).pathname)).toEqual(site.asked);
    expect(lines[2]).toEqual({
      job: expect.stringMatching(/^[0-9a-f]{32}$/),
      file: "a.txt",
      index: 1,
      url: site.url("/a2"),
      options: { mode: "x" },
      status: "done",
      result: { content: "page /a2", meta: expect.objectContaining({ status: 200, bytes: 8 }) },
      error: "",
      hint: "",
      attempts: 1,
    });
    expect(lines[3]).toMatchObject({ file: "b.txt", index: 1, status: "failed", error: "HTTP 404 Not Found" });
    expect(stderr).toMatch(/│ a\.txt: done \| 2 of 2 done, 0 failed \| [\d.]+ m?s \| job [0-9a-f]{12} +│/);
    expect(stderr).toMatch(/│ b\.txt: partial \| 2 of 3 done, 1 failed \|/);
    expect(stderr).toMatch(/│ 1 +│ http:.+\/b2 +│ HTTP 404 Not Found +│ there is no such page: check the path +│/);
    expect(code).toBe(1);
  });

  test("prints nothing on stdout without --json, and ends with 0 where all is done", async () => {
    work.write("a.txt", site.url("/a1"));
    const { code, stdout, stderr } = await work.run("run", "a.txt");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/a\.txt: job [0-9a-f]{12}, 1 target\n/);
  });

  test("says nothing when quiet, but what failed", async () => {
    site.page("/b1", (response) => response.writeHead(403).end());
    work.write("a.txt", site.url("/a1"));
    work.write("b.txt", site.url("/b1"));
    expect(await work.run("run", "a.txt", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
    const { code, stderr } = await work.run("run", "a.txt", "b.txt", "--quiet");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^┌─+┐\n│ b\.txt: failed .+ HTTP 403 Forbidden /s);
    expect(stderr).not.toContain("a.txt");
  });

  test("reads the standard input", async () => {
    const running = work.start("run", "-", "--json");
    running.child.stdin.end(`${site.url("/in")}\n`);
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toMatchObject([{ file: "stdin", url: site.url("/in") }]);
  });

  test("tries 429 and 503 again when the server says so", async () => {
    const answers: [number, Record<string, string>][] = [
      [503, { "retry-after": "0" }],
      [429, { "retry-after": new Date(Date.now() - 60_000).toUTCString() }],
    ];
    site.page("/busy", (response) => {
      const [status, headers] = answers.shift() ?? [200, {}];
      response.writeHead(status, headers).end("at last");
    });
    work.write("a.txt", site.url("/busy"));
    // A wait of its own would outlast the test.
    const { code, stdout } = await work.run("run", "a.txt", "--json", "--retry-wait", "1h", "--retry-for", "1h");
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toMatchObject([{ attempts: 3, result: { content: "at last" } }]);
  });

  test("gives up after --retry-for and at --timeout", async () => {
    site.page("/busy", (response) => response.writeHead(503).end());
    site.page("/silent", () => {});
    work.write("a.txt", site.url("/busy"), site.url("/silent"));
    const args = ["--retry-wait", "10ms", "--retry-for", "50ms", "--timeout", "1s"];
    const { code, stdout } = await work.run("run", "a.txt", "--json", ...args);
    expect(code).toBe(1);
    expect(jsonLines(stdout)).toMatchObject([
      { status: "failed", error: "HTTP 503 Service Unavailable at every try" },
      { status: "failed", error: "timed out", attempts: 1 },
    ]);
  });

  test("keeps as much of a body as --max-body says", async () => {
    site.page("/big", (response) => response.end("x".repeat(5_000)));
    work.write("a.txt", site.url("/big"));
    const { stdout } = await work.run("run", "a.txt", "--json", "--max-body", "1k");
    expect(jsonLines(stdout)).toMatchObject([{ result: { content: "x".repeat(1024), meta: { truncated: true } } }]);
  });

  test("writes a plain progress line where there is no terminal, and logs beside it", async () => {
    const gate = site.gate("/slow");
    work.write("a.txt", site.url("/fast"), site.url("/slow"));
    const running = work.start("run", "a.txt", "--log-level", "debug");
    await running.said("stderr", /^a\.txt: 1\/2, .+\/.+, .+ left$/m);
    gate.open();
    const { code, stderr } = await running.ended;
    expect(code).toBe(0);
    const logged = jsonLines(stderr.replaceAll(/^[^{].*$/gm, "")).map(({ msg }) => msg);
    expect(logged).toContain("job created");
  });
});

describe("the lines of --json", () => {
  test("come as targets are stored, in that order, none missing and none twice, from several jobs and workers", async () => {
    const files = ["a", "b", "c"].map((name) =>
      work.write(name, ...Array.from({ length: 40 }, (_, index) => site.url(`/${name}/${index}`))),
    );
    const { code, stdout } = await work.run("run", ...files, "--json", "--workers", "3");
    expect(code).toBe(0);
    const lines = jsonLines(stdout);
    expect(lines).toHaveLength(120);
    for (const file of files) {
      expect(lines.filter((line) => line.file === file).map(({ index }) => index)).toEqual([...Array(40).keys()]);
    }
  });

  test("do not wait for the run's end, nor for a job before", async () => {
    const gate = site.gate("/a1");
    work.write("a.txt", site.url("/a1"));
    work.write("b.txt", site.url("/b1"), site.url("/b2"));
    const running = work.start("run", "a.txt", "b.txt", "--json", "--workers", "2");
    await running.said("stdout", /\/b2/);
    expect(jsonLines(running.stdout)).toMatchObject([{ url: site.url("/b1") }, { url: site.url("/b2") }]);
    gate.open();
    expect(jsonLines((await running.ended).stdout)).toHaveLength(3);
  });
});

describe("a file that was run before", () => {
  test("is reused, said to be, and its results are shown", async () => {
    site.page("/a2", (response) => response.writeHead(410).end());
    work.write("a.txt", site.url("/a1"), site.url("/a2"));
    const first = await work.run("run", "a.txt", "--json");
    work.write("b.txt", site.url("/b1"));
    const second = await work.run("run", "b.txt", "a.txt", "--json");

    expect(site.asked).toEqual(["/a1", "/a2", "/b1"]);
    const ofA = jsonLines(second.stdout).filter(({ file }) => file === "a.txt");
    expect(ofA).toEqual(jsonLines(first.stdout));
    expect(jsonLines(second.stdout)).toHaveLength(3);
    expect(second.stderr).toMatch(/a\.txt: job [0-9a-f]{12} of .+ is reused \(partial\); --fresh runs it anew/);
    expect(second.stderr).toMatch(/│ a\.txt: partial \| 1 of 2 done, 1 failed \| by an earlier run \|/);
    expect([first.code, second.code]).toEqual([1, 1]);
  });

  test("is run anew with --fresh, and for another caller", async () => {
    work.write("a.txt", site.url("/a1"));
    await work.run("run", "a.txt");
    await work.run("run", "a.txt", "--fresh");
    await work.run("run", "a.txt", "--caller", "anna");
    expect(site.asked).toEqual(["/a1", "/a1", "/a1"]);
    expect(jsonLines((await work.run("list", "--json")).stdout).map(({ caller }) => caller)).toEqual([
      "anna",
      "cli",
      "cli",
    ]);
  });

  test("is run again where its job failed or was cancelled, as the help says", async () => {
    site.page("/a1", (response) => response.writeHead(404).end());
    work.write("a.txt", site.url("/a1"));
    const gate = site.gate("/b1");
    work.write("b.txt", site.url("/b1"));
    const running = work.start("run", "a.txt", "b.txt");
    await site.wasAsked("/b1");
    const [b] = jsonLines((await work.run("list", "--json")).stdout);
    expect((await work.run("cancel", String(b?.id))).code).toBe(0);
    gate.open();
    await running.ended;
    await work.run("run", "a.txt", "b.txt");
    expect(site.asked).toEqual(["/a1", "/b1", "/a1", "/b1"]);
    const help = (await work.run("run", "--help")).stdout.replaceAll(/\s+/g, " ");
    expect(help).toContain("its job is shown, unless that failed or was cancelled. --fresh runs it anew.");
  });

  test("is removed by a later run once it is older than --keep", async () => {
    work.write("a.txt", site.url("/a1"));
    work.write("b.txt", site.url("/b1"));
    await work.run("run", "a.txt");
    const raw = new Sqlite(work.path("fairbatch.sqlite"));
    raw.exec("update batch_job set lease = lease - 2 * 86400");
    raw.close();
    const kept = async () => jsonLines((await work.run("list", "--json")).stdout).length;
    await work.run("run", "b.txt", "--keep", "3d");
    expect(await kept()).toBe(2);
    await work.run("run", "b.txt");
    expect(await kept()).toBe(1);
  });

  test("is one job when it is named twice", async () => {
    work.write("a.txt", site.url("/a1"));
    const { code, stdout, stderr } = await work.run("run", "a.txt", "a.txt", "--json");
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toHaveLength(1);
    expect(stderr).toContain("a.txt: has the targets of a.txt, and is the same job\n");
    expect(stderr.match(/│ a\.txt: done/g)).toHaveLength(1);
  });
});

describe("bad usage and unreadable input end with 2 and store nothing", () => {
  test.each([
    [["run", "a.txt", "none.txt"], /^error: none\.txt: cannot be read \(ENOENT\)$/m],
    [["run", "a.txt", "bad.txt"], /^error: bad\.txt:2: not an http or https URL$/m],
    [["run", "a.txt", "empty.txt"], /^error: empty\.txt: no targets in it$/m],
    [["run", "-", "-"], /^error: - can be given only once$/m],
    [["run"], /missing required argument/],
    [["run", "a.txt", "--retry-wait", "0"], /The shortest is 1ms/],
    [["run", "a.txt", "--fetch", "./broken.mjs"], /^error: --fetch \.\/broken\.mjs: cannot be loaded: no good$/m],
    [["run", "a.txt", "--fetch", "./plain.mjs"], /^error: --fetch \.\/plain\.mjs: its default export is no function/m],
    [["run", "a.txt", "--fetch", "./none.mjs"], /^error: --fetch \.\/none\.mjs: there is no such file$/m],
    [["run", "a.txt", "--keep", "0"], /Give a duration such as 24h/],
    [["run", "a.txt", "--nonsense"], /unknown option/],
    [["nonsense"], /unknown command/],
    [[], /Usage: fairbatch/],
  ])("%j", async (args, message) => {
    work.write("a.txt", site.url("/a1"));
    work.write("bad.txt", site.url("/b1"), "b2");
    work.write("empty.txt", "# nothing");
    work.write("broken.mjs", 'throw new Error("no good");');
    work.write("plain.mjs", "export default {};");
    const { code, stdout, stderr } = await work.run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(existsSync(work.path("fairbatch.sqlite"))).toBe(false);
    expect(site.asked).toEqual([]);
  });

  test("a file that is no store is left alone", async () => {
    work.write("a.txt", site.url("/a1"));
    work.write("notes.txt", "not a database, but long enough to be looked at as one".repeat(20));
    const before = readFileSync(work.path("notes.txt"), "utf8");
    const { code, stderr } = await work.run("run", "a.txt", "--db", "notes.txt");
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: notes\.txt: cannot be opened: file is not a database$/m);
    expect(readFileSync(work.path("notes.txt"), "utf8")).toBe(before);
    expect((await work.run("run", "a.txt", "--db", "no/such/folder.sqlite")).code).toBe(2);
  });

  test("a store on which another runner works", async () => {
    const gate = site.gate("/a1");
    work.write("a.txt", site.url("/a1"));
    const running = work.start("run", "a.txt");
    await site.wasAsked("/a1");
    const { code, stderr } = await work.run("run", "a.txt");
    expect(code).toBe(2);
    expect(stderr).toBe("error: fairbatch.sqlite: another runner works on it; wait for it, or give another --db\n");
    gate.open();
    expect((await running.ended).code).toBe(0);
  });
});

describe("a fetch of one's own", () => {
  test("takes the place of the HTTP GET, with its own idea of a URL", async () => {
    work.write(
      "my-fetch.mjs",
      "export default async ({ url, options }, { caller, attempt }) => {",
      '  if (url === "page 2") throw new Error("no page 2");',
      '  return { content: [url, options.mode, caller.name, attempt].join(" ") };',
      "};",
    );
    work.write("a.txt", '{"url": "page 1", "options": {"mode": "x"}}', "page 2");
    const { code, stdout } = await work.run("run", "a.txt", "--fetch", "./my-fetch.mjs", "--caller", "anna", "--json");
    expect(code).toBe(1);
    expect(jsonLines(stdout)).toMatchObject([
      { status: "done", result: { content: "page 1 x anna 1" } },
      { status: "failed", error: "no page 2", hint: "" },
    ]);
  });

  test("has its first bug told with the stack, which the store and the log never hold", async () => {
    work.write("my-fetch.mjs", "export default ({ url }) => {", "  return url.nothing.there;", "};");
    work.write("a.txt", "page 1", "page 2");
    const { code, stderr } = await work.run("run", "a.txt", "--fetch", "./my-fetch.mjs", "--quiet");
    expect(code).toBe(1);
    expect(stderr.match(/^\.\/my-fetch\.mjs: TypeError: Cannot read .+ \(reading 'there'\)$/gm)).toHaveLength(1);
    expect(stderr).toMatch(/^ +at .+my-fetch\.mjs:2:\d+/m);
    expect(stderr.match(/internal error/g)).toHaveLength(2);
  });

  test("is called by no more workers than there are jobs", async () => {
    work.write("my-fetch.mjs", 'export default () => ({ content: "" });');
    work.write("a.txt", "x");
    expect((await work.run("run", "a.txt", "--fetch", "./my-fetch.mjs", "--workers", "9000000")).code).toBe(0);
  });

  test("does not keep the process alive with what it leaves behind", async () => {
    work.write("my-fetch.mjs", "setInterval(() => {}, 1000);", 'export default () => ({ content: "" });');
    work.write("a.txt", "x");
    expect((await work.run("run", "a.txt", "--fetch", "./my-fetch.mjs")).code).toBe(0);
  });
});
