import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { freshPath } from "../support/stores.js";
import { startExample } from "./service-under-test.js";

const EXAMPLE = new URL("../../examples/service/", import.meta.url);
const readme = readFileSync(new URL("README.md", EXAMPLE), "utf8");
const [start = "", calls = ""] = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1]);

/** Each command with what it is said to print, and the shell that keeps their variables. */
function commands(): { command: string; output: string }[] {
  const parts = calls.split(/^(?=curl|export)/m).map((part) => part.split("\n"));
  return parts.map((lines) => ({
    command: lines.filter((line) => !line.startsWith("# ")).join("\n"),
    output: lines
      .filter((line) => line.startsWith("# "))
      .map((line) => line.slice(2))
      .join("\n"),
  }));
}

/** The text where an ellipsis stands for anything. */
function pattern(output: string): RegExp {
  return new RegExp(
    `^${output
      .split("…")
      .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
      .join("[^]*?")}$`,
  );
}

test("README: each curl command does what it is said to do", async () => {
  const keys = new URL("api-keys.txt", EXAMPLE).pathname;
  const { service } = await startExample({ API_KEYS_FILE: keys });
  const script = commands().map(({ command }) => `${command}\nprintf '\\n\\036'`);
  const run = promisify(execFile)(
    "sh",
    ["-c", script.join("\n").replaceAll("localhost:8080", `127.0.0.1:${service.port}`)],
    {
      cwd: dirname(freshPath()),
    },
  );
  const printed = (await run).stdout.replaceAll(`127.0.0.1:${service.port}`, "localhost:8080").split("\u001e");
  expect(commands().length).toBe(11);
  for (const [index, { command, output }] of commands().entries()) {
    expect({ command, printed: printed[index]?.trim() }).toEqual({
      command,
      printed: expect.stringMatching(pattern(output)),
    });
  }
});

test("README: the command that starts the service is a script of the package", () => {
  const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", EXAMPLE), "utf8"));
  expect(start).toBe("ALLOW_PRIVATE_TARGETS=yes npm run example\n");
  expect(scripts.example).toContain("--env-file=examples/service/example.env examples/service/dist/main.js");
});
