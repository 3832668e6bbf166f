import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("the demo runs, and its order of fetching shows two callers in turns", () => {
  const demo = fileURLToPath(new URL("../../examples/demo/demo.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [demo], { encoding: "utf8", timeout: 15_000 });
  expect(stderr).toMatch(/^bert: \d\/6, .+$/m);
  const order = [...stdout.matchAll(/^ +\d+ +(anna|bert) (\S+.*)$/gm)].map(([, name, page]) => `${name} ${page}`);
  expect(order.slice(0, 7)).toEqual([
    "anna /",
    "bert /a",
    "anna /slow",
    "bert /missing",
    "anna /busy",
    "bert /b",
    "bert /silent",
  ]);
  expect(order).toContain("anna /busy (attempt 3)");
  expect(stdout).toMatch(/│ anna: done \| 6 of 6 done, 0 failed/);
  expect(stdout).toMatch(/│ bert: partial \| 4 of 6 done, 2 failed/);
  expect(status).toBe(0);
});
