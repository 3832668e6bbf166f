import crypto, { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { expect, test, vi } from "vitest";
import { readApiKeys } from "../../examples/service/api-keys.js";
import { freshPath } from "../support/stores.js";

const hash = (key: string) => createHash("sha256").update(key).digest("hex");

function fileOf(...lines: string[]): string {
  const path = freshPath();
  writeFileSync(path, lines.join("\n"));
  return path;
}

test("a key finds its holder, by its hash alone; a caller may have several", async () => {
  const keys = await readApiKeys(
    fileOf(
      "# keys",
      "",
      `alice trial ${hash("old")}`,
      `  alice  trial\t${hash("new")} # since May`,
      `b.b@b paid ${hash("b")}`,
    ),
  );
  const holder = (key: string) => ({ caller: { name: "alice", keySha256: hash(key) }, callerClass: "trial" });
  expect(["old", "new", "b"].map(keys.holderOf)).toEqual([
    holder("old"),
    holder("new"),
    { caller: { name: "b.b@b", keySha256: hash("b") }, callerClass: "paid" },
  ]);
  expect(["", "alice", hash("old"), "OLD"].map(keys.holderOf)).toEqual([undefined, undefined, undefined, undefined]);
  expect([keys.named("alice"), keys.named("b")]).toEqual([holder("new"), undefined]);
});

test("each key is compared in constant time with all hashes, wherever the right one stands", async () => {
  const keys = await readApiKeys(fileOf(...["a", "b", "c"].map((key) => `${key} trial ${hash(key)}`)));
  const compared = vi.spyOn(crypto, "timingSafeEqual");
  syncBuiltinESMExports();
  const counts = ["a", "b", "c", "nobody"].map((key) => {
    compared.mockClear();
    keys.holderOf(key);
    return compared.mock.calls.length;
  });
  compared.mockRestore();
  syncBuiltinESMExports();
  expect(counts).toEqual([3, 3, 3, 3]);
});

test.each([
  ["a key that is not hashed", "alice trial secret-key"],
  ["no class", `alice ${hash("a")}`],
  ["a hash that is too short", `alice trial ${hash("a").slice(1)}`],
  ["a name with a space", `al ice trial ${hash("a")}`],
])("%s is refused by its line, which is not repeated", async (_, line) => {
  const path = fileOf("# keys", line);
  const complaint = 'API_KEYS_FILE must hold "name class sha256" in line 2';
  await expect(readApiKeys(path)).rejects.toThrow(new RegExp(`^${complaint}$`));
});

test("a file that is missing or empty is refused", async () => {
  await expect(readApiKeys(freshPath())).rejects.toThrow(/^API_KEYS_FILE cannot be read$/);
  await expect(readApiKeys(fileOf("# none yet"))).rejects.toThrow(/^API_KEYS_FILE must hold one key at least$/);
});
