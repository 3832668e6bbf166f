import { expect, test } from "vitest";
import { checkNodeForSqlite, endsProcess } from "../../src/store/node-for-sqlite.js";

test.each([
  ["12.11.1", "20.19.0", false],
  ["12.11.1", "24.1.0", false],
  ["13.0.0", "20.20.2", true],
  ["13.2.0", "21.7.3", true],
  ["13.2.0", "22.0.0", false],
  ["14.0.0", "20.19.0", true],
])("better-sqlite3 %s ends a process of Node %s: %s", (sqlite, node, ends) => {
  expect(endsProcess(sqlite, node)).toBe(ends);
});

test("the better-sqlite3 that is installed fits the Node that runs", () => {
  expect(checkNodeForSqlite()).toBeUndefined();
});
