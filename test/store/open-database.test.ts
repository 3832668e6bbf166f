import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { isAddonMissing, openDatabase } from "../../src/store/open-database.js";
import { freshPath } from "../support/stores.js";

const requireOfSqlite = createRequire(createRequire(import.meta.url).resolve("better-sqlite3"));

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test("section 4: an addon that was never built is known by what looking for it throws, in each version of better-sqlite3", () => {
  expect(isAddonMissing(thrownBy(() => requireOfSqlite("bindings")("no_such_addon.node")))).toBe(true);
  expect(isAddonMissing(thrownBy(() => requireOfSqlite("../build/Release/no_such_addon.node")))).toBe(true);
});

test("section 4: what SQLite itself refuses is no missing addon", () => {
  const path = freshPath();
  const refusal = thrownBy(() => openDatabase(path, { fileMustExist: true }));
  expect(refusal).toMatchObject({ code: "SQLITE_CANTOPEN" });
  expect(isAddonMissing(refusal)).toBe(false);
});
