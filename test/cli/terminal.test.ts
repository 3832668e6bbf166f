import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FairbatchProcess, jsonLines, MAIN, Workplace } from "./fairbatch-process.js";
import { TestSite } from "./test-site.js";

const HIDE_CURSOR = "\u001B[?25l";
const SHOW_CURSOR = "\u001B[?25h";

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

/** Runs the command on a pseudo-terminal of its own, made by util-linux's `script`. */
function onTerminal(columns: number, args: string, env: Record<string, string> = {}): FairbatchProcess {
  const command = `stty cols ${columns} rows 24; exec "${process.execPath}" "${MAIN}" ${args}`;
  return work.spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { TERM: "xterm", ...env });
}

describe.runIf(process.platform === "linux")("on a terminal", () => {
  test("bars are redrawn in place, and the table follows", async () => {
    const gate = site.gate("/a2");
    site.page("/b1", (response) => response.writeHead(404).end());
    work.write("a.txt", site.url("/a1"), site.url("/a2"));
    work.write("b.txt", site.url("/b1"));
    const running = onTerminal(100, "run a.txt b.txt");
    await running.said("stdout", /1\/2.*left/);
    gate.open();
    const { code, stdout } = await running.ended;

    expect(code).toBe(1);
    expect(stdout).toContain("\u001B[32m█");
    const shown = stripVTControlCharacters(stdout);
    expect(shown).toMatch(/a\.txt {2}█{15}░{15} {2}1\/2 {2}.+ left/);
    expect(shown).toMatch(
      /a\.txt {2}█{30} {2}2\/2 {2}done in .+\r\nb\.txt {2}█{30} {2}1\/1 {2}1 failed {2}failed in [^┌]+┌/,
    );
    // Redrawn, not written below: the line before is erased.
    expect(stdout).toContain("\u001B[1A");
    expect(stdout.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(stdout.lastIndexOf(HIDE_CURSOR));
  });

  test("bars keep their colours while the results go to a file, but for NO_COLOR", async () => {
    work.write("a.txt", site.url("/a1"));
    const { stdout } = await onTerminal(100, "run a.txt --json > results.jsonl").ended;
    expect(stdout).toContain("\u001B[32m█");
    expect(jsonLines(readFileSync(work.path("results.jsonl"), "utf8"))).toHaveLength(1);
    const plain = await onTerminal(100, "run a.txt --fresh --json > results.jsonl", { NO_COLOR: "1" }).ended;
    expect(plain.stdout).toMatch(/[^m]█/);
    expect(plain.stdout).not.toContain("\u001B[32m");
  });

  test("bars and tables are no wider than a narrow one, nor coloured under NO_COLOR", async () => {
    work.write("a-file-with-a-rather-long-name.txt", site.url("/a1"), site.url("/a2"));
    site.page("/a2", (response) => response.writeHead(404).end());
    const { stdout } = await onTerminal(50, "run a-file-with-a-rather-long-name.txt", { NO_COLOR: "1" }).ended;
    const plain = stripVTControlCharacters(stdout);
    const drawn = plain.split(/[\r\n]+/).filter((line) => /[│┌├└]|\d\/\d/.test(line));
    expect(drawn.length).toBeGreaterThan(5);
    for (const line of drawn) expect(line.length).toBeLessThanOrEqual(50);
    for (const colour of ["[2m", "[31m", "[32m"]) expect(stdout).not.toContain(colour);
  });

  test("logs and lines of --json stand above the bars, whole", async () => {
    const gate = site.gate("/a3");
    work.write("a.txt", site.url("/a1"), site.url("/a2"), site.url("/a3"));
    const running = onTerminal(100, "run a.txt --json --log-level debug");
    await running.said("stdout", /2\/3.*left/);
    gate.open();
    const lines = stripVTControlCharacters((await running.ended).stdout).split(/\r?\n/);
    const parsed = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
    expect(parsed.filter(({ job }) => job !== undefined)).toHaveLength(3);
    expect(parsed.filter(({ msg }) => msg === "target stored")).toHaveLength(3);
  });

  test("Ctrl-C gives the cursor back, and a second one does too", async () => {
    work.write(
      "deaf.mjs",
      "export default () => {",
      '  console.error("fetching");',
      "  return new Promise((resolve) => setTimeout(resolve, 600_000));",
      "};",
    );
    work.write("a.txt", "x");
    const running = onTerminal(100, "run a.txt --fetch ./deaf.mjs");
    await running.said("stdout", /fetching.+0\/1/s);
    running.child.stdin.write("\u0003");
    await running.said("stdout", /stopping/);
    running.child.stdin.write("\u0003");
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(stdout.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(stdout.lastIndexOf(HIDE_CURSOR));
  });
});
