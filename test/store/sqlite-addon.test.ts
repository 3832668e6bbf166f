import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { sqliteAddon } from "../../src/store/sqlite-addon.js";

const OTHERS = [
  "/app/node_modules/better-sqlite3/lib/index.js",
  "/app/node_modules/sqlite3/build/Release/node_sqlite3.node",
  "/app/node_modules/not-better-sqlite3/prebuilds/linux-x64.node",
];

test.each([
  ["12, as it is built", "/app/node_modules/better-sqlite3/build/Release/better_sqlite3.node"],
  ["12, in a bundle's folder", "/app/dist/better_sqlite3.node"],
  ["13, of Linux", "/app/node_modules/better-sqlite3/prebuilds/linux-x64.node"],
  [
    "13, by pnpm",
    "/app/node_modules/.pnpm/better-sqlite3@13.2.0/node_modules/better-sqlite3/prebuilds/darwin-arm64.node",
  ],
  ["13, of Windows", "C:\\app\\node_modules\\better-sqlite3\\prebuilds\\win32-x64.node"],
])("the addon of better-sqlite3 %s, is found among all that is loaded", (_which, addon) => {
  expect(sqliteAddon([...OTHERS, addon])).toBe(addon);
});

test("the better-sqlite3 that is installed is found once it is loaded", () => {
  const require = createRequire(import.meta.url);
  const Database = require("better-sqlite3");
  new Database(":memory:").close();
  expect(sqliteAddon(Object.keys(require.cache))).toContain("better");
});

test("no addon is told apart where there is none, or more than one", () => {
  const [one, another] = ["/a/better-sqlite3/prebuilds/linux-x64.node", "/b/better_sqlite3.node"];
  expect(() => sqliteAddon(OTHERS)).toThrow("no one SQLite");
  expect(() => sqliteAddon([one, another])).toThrow("no one SQLite");
});
