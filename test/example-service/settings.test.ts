import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { readSettings } from "../../examples/service/settings.js";

const folder = new URL("../../examples/service/", import.meta.url);

test("only the file of keys must be set", () => {
  expect(readSettings({ API_KEYS_FILE: "keys", PORT: "" })).toEqual({
    host: "127.0.0.1",
    port: 8080,
    storePath: "batches.sqlite",
    apiKeysFile: "keys",
    logLevel: "info",
    allowPrivateTargets: false,
    maxRequestBytes: 1_048_576,
    maxAnswerBytes: 1_048_576,
    maxStoreBytes: 67_108_864,
    targetTimeoutMs: 30_000,
    retryForMs: 600_000,
    targetsPerJob: 32,
    jobsPerCaller: 2,
    jobsTotal: 64,
    workers: 4,
    heartbeatMs: 15_000,
    drainMs: 25_000,
  });
});

const LATEST = "from 1 to 2147483647";
test.each([
  ["API_KEYS_FILE", "", "must be set"],
  ["LOG_LEVEL", "loud", "must be one of trace, debug, info, warn, error, fatal, silent"],
  ["ALLOW_PRIVATE_TARGETS", "true", "must be one of yes, no"],
  ["PORT", "65536", "must be a whole number from 0 to 65535"],
  ["PORT", "-1", "must be a whole number from 0 to 65535"],
  ["PORT", "80a", "must be a whole number from 0 to 65535"],
  ["PORT", "1e3", "must be a whole number from 0 to 65535"],
  ["MAX_REQUEST_BYTES", "0", "must be a whole number from 1 to 1073741824"],
  ["MAX_ANSWER_BYTES", "268435457", "must be a whole number from 1 to 268435456"],
  ["MAX_STORE_BYTES", "0", "must be a whole number from 1 to 1048576000000"],
  ["TARGET_TIMEOUT_MS", "2147483648", `must be a whole number ${LATEST}`],
  ["RETRY_FOR_MS", "0", `must be a whole number ${LATEST}`],
  ["TARGETS_PER_JOB", "0", "must be a whole number from 1 to 1000000"],
  ["JOBS_PER_CALLER", "1.5", "must be a whole number from 1 to 1000000"],
  ["JOBS_TOTAL", " ", "must be a whole number from 1 to 1000000"],
  ["WORKERS", "1001", "must be a whole number from 1 to 1000"],
  ["HEARTBEAT_MS", "0", `must be a whole number ${LATEST}`],
  ["DRAIN_MS", "soon", `must be a whole number ${LATEST}`],
])("%s=%s is refused by name", (name, value, complaint) => {
  expect(() => readSettings({ API_KEYS_FILE: "keys", [name]: value })).toThrow(new RegExp(`^${name} ${complaint}$`));
});

test("each setting stands in the README, and no other", () => {
  const source = readFileSync(new URL("settings.ts", folder), "utf8");
  const names = [...source.matchAll(/(?:text|whole|oneOf)\("([A-Z_]+)"/g)].map((match) => match[1]);
  const readme = readFileSync(new URL("README.md", folder), "utf8");
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)` \|/gm)].map((match) => match[1]);
  expect(rows).toEqual(names);
});

test("what npm run example runs with is good", () => {
  const env = parseEnv(readFileSync(new URL("example.env", folder), "utf8"));
  expect(readSettings(env)).toMatchObject({ host: "127.0.0.1", allowPrivateTargets: false });
});
