import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const project = fileURLToPath(new URL("../..", import.meta.url));

/** For each source file, statements of one line that the linter lets pass and others that it must refuse. */
const files: Record<string, { allowed: string[]; forbidden: string[] }> = {
  "src/words.ts": {
    allowed: ['export * from "./target.js";', 'export * from "node:crypto";'],
    forbidden: [
      'export * from "./machines/job-machine.js";',
      'export * from "./store/schema.js";',
      'export * from "./runner/create-batch-runner.js";',
      'export * from "./cli/main.js";',
      'export * from "./index.js";',
      'export * from "kysely";',
      'export * from "commander";',
    ],
  },
  "src/machines/machine.ts": {
    allowed: ['export * from "xstate";', 'export * from "./rotation.js";', 'export * from "../target.js";'],
    forbidden: [
      'export * from "../store/schema.js";',
      'export * from "./../store/schema.js";',
      'export * from "../machines/../store/schema.js";',
      'export * from "../runner/create-batch-runner.js";',
      'export * from "../cli/main.js";',
      'export * from "../index.js";',
      'export * from "kysely";',
      'export * from "better-sqlite3";',
      'export * from "pino";',
      'export * from "node:crypto";',
      'export * from "crypto";',
      'export * from "fairbatch";',
    ],
  },
  "src/store/table.ts": {
    allowed: [
      'export * from "kysely";',
      'export * from "better-sqlite3";',
      'export * from "node:fs";',
      'export * from "./schema.js";',
      'export * from "../target.js";',
    ],
    forbidden: [
      'export * from "../machines/job-machine.js";',
      'export * from "../runner/create-batch-runner.js";',
      'export * from "../cli/main.js";',
      'export * from "../index.js";',
      'export * from "xstate";',
      'export * from "@xstate/store";',
      'export * from "commander";',
    ],
  },
  "src/runner/wiring.ts": {
    allowed: [
      'export * from "../machines/job-machine.js";',
      'export * from "../store/batch-store.js";',
      'export * from "../target.js";',
      'export * from "@xstate/store";',
      'export * from "xstate";',
      'export * from "pino";',
      'export * from "node:crypto";',
    ],
    forbidden: [
      'export * from "../cli/main.js";',
      'export * from "../index.js";',
      'export * from "kysely";',
      'export * from "better-sqlite3";',
      'export * from "commander";',
      'export * from "log-update";',
      'export * from "cli-table3";',
    ],
  },
  "src/prometheus/hooks.ts": {
    allowed: [
      'export * from "prom-client";',
      'export type { Hooks } from "../runner/batch-runner.js";',
      'export * from "../errors.js";',
    ],
    forbidden: [
      'export * from "../runner/gauges.js";',
      'export * from "../store/batch-store.js";',
      'export * from "../testing/held-fetch.js";',
      'export * from "../cli/main.js";',
      'export * from "../index.js";',
      'export * from "node:http";',
      'export * from "pino";',
    ],
  },
  "src/testing/kit.ts": {
    allowed: [
      'export type { BatchRunner } from "../runner/batch-runner.js";',
      'export type { BatchStore } from "../store/batch-store.js";',
      'export * from "../store/open-sqlite-store.js";',
      'export * from "../clock.js";',
    ],
    forbidden: [
      'export * from "../runner/create-batch-runner.js";',
      'export * from "../store/sqlite-store.js";',
      'export * from "../machines/job-machine.js";',
      'export * from "../prometheus/index.js";',
      'export * from "../cli/main.js";',
      'export * from "../index.js";',
      'export * from "vitest";',
      'export * from "node:test";',
    ],
  },
  "src/inspect/view.ts": {
    allowed: [
      'export * from "../machines/job-machine.js";',
      'export * from "../store/batch-store.js";',
      'export * from "../clock.js";',
      'export * from "./protocol.js";',
      'export * from "node:http";',
      'export * from "xstate";',
    ],
    forbidden: [
      'export * from "../store/sqlite-store.js";',
      'export * from "../runner/gauges.js";',
      'export * from "../cli/main.js";',
      'export * from "../index.js";',
      'export * from "kysely";',
      'export * from "better-sqlite3";',
      'export * from "pino";',
    ],
  },
  "src/cli/command.ts": {
    allowed: [
      'export * from "../inspect/store-inspector.js";',
      'export * from "../runner/create-batch-runner.js";',
      'export * from "../store/sqlite-store.js";',
      'export * from "../index.js";',
      'export * from "commander";',
      'export * from "log-update";',
      'export * from "cli-table3";',
    ],
    forbidden: [
      'export * from "kysely";',
      'export * from "better-sqlite3";',
      'export * from "fairbatch";',
      'export * from "../prometheus/index.js";',
      'export * from "../testing/index.js";',
    ],
  },
  "src/inspect/page/panel.ts": {
    allowed: [
      'export * from "./world.js";',
      'export type { Hello } from "../protocol.js";',
      'export type { ElkNode } from "elkjs/lib/elk-api.js";',
    ],
    forbidden: [
      'export * from "../local-inspector.js";',
      'export * from "../../job.js";',
      'export * from "../../index.js";',
      'export * from "node:fs";',
      'export * from "xstate";',
      'export * from "elkjs";',
    ],
  },
  "src/machines/ways-to-import.ts": {
    allowed: [],
    forbidden: [
      'import { a } from "pino";',
      'import "pino";',
      'import type { B } from "pino";',
      'import c = require("pino");',
      'export { d } from "pino";',
      'export type E = import("pino").E;',
      'export const f = import("pino");',
      "export const g = import(`pino`);",
      'export const h = require("pino");',
    ],
  },
  "src/index.ts": {
    allowed: [
      'export { a } from "./runner/create-batch-runner.js";',
      'export type { B } from "./job.js";',
      'export * from "./errors.js";',
    ],
    forbidden: [
      'import { c } from "./job.js";',
      "export { c };",
      "export const d = 1;",
      "export function e() {}",
      "export interface F {}",
      "export default 1;",
      "console.log();",
    ],
  },
  "src/machines/index.ts": {
    allowed: ['export { a } from "./job-machine.js";'],
    forbidden: ["export class B {}"],
  },
  "src/prometheus/index.ts": {
    allowed: ['export { a } from "./prometheus-hooks.js";'],
    forbidden: ["export class B {}"],
  },
  "src/testing/index.ts": {
    allowed: ['export { a } from "./held-fetch.js";'],
    forbidden: ["export class B {}"],
  },
  "src/inspect/index.ts": {
    allowed: ['export { a } from "./redacted.js";'],
    forbidden: ["export class B {}"],
  },
};

const RULES = [
  "lint/style/noRestrictedImports",
  "lint/style/noCommonJs",
  "lint/style/noUnusedTemplateLiteral",
  "plugin",
];

type Report = { diagnostics: { category: string; location: { path: string; start: { line: number } } }[] };

describe("the linter", () => {
  let folder: string;
  const refused = new Set<string>();

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "fairbatch-lint-"));
    for (const name of ["biome.json", "lint", ".gitignore"]) {
      cpSync(join(project, name), join(folder, name), { recursive: true });
    }
    for (const [file, { allowed, forbidden }] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), [...allowed, ...forbidden, ""].join("\n"));
    }
    const biome = join(project, "node_modules/@biomejs/biome/bin/biome");
    const { stdout } = spawnSync(process.execPath, [biome, "lint", "--reporter=json", "--max-diagnostics=none"], {
      cwd: folder,
      encoding: "utf8",
    });
    for (const { category, location } of (JSON.parse(stdout) as Report).diagnostics) {
      if (RULES.includes(category)) refused.add(`${location.path}:${location.start.line}`);
    }
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(Object.entries(files))("in %s", (file, { allowed, forbidden }) => {
    test.each(allowed.map((statement, index) => [statement, index + 1] as const))("allows %s", (_, line) => {
      expect(refused).not.toContain(`${file}:${line}`);
    });
    const first = allowed.length + 1;
    test.each(forbidden.map((statement, index) => [statement, first + index] as const))("refuses %s", (_, line) => {
      expect(refused).toContain(`${file}:${line}`);
    });
  });
});
