import { expect, test } from "vitest";
import { TargetError } from "../../src/index.js";
import { untilTerminal } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";

async function stored(message: string, hint = ""): Promise<[error: string | undefined, hint: string | undefined]> {
  const { runner, submit } = await startRunner({
    fetch() {
      throw new TargetError(message, { hint });
    },
  });
  const id = await submit("ann", "a");
  await untilTerminal(runner, id);
  const target = (await runner.status(id))?.targets[0];
  return [target?.error, target?.hint];
}

test.each([
  ["2,000 units stay whole", "x".repeat(2_000), "x".repeat(2_000)],
  ["2,001 units are cut", "x".repeat(2_001), "x".repeat(2_000)],
  ["a very long text is cut", "x".repeat(5_000_000), "x".repeat(2_000)],
  ["a pair that just fits stays", `${"x".repeat(1_998)}😀`, `${"x".repeat(1_998)}😀`],
  ["a pair that ends at the cut stays", `${"x".repeat(1_998)}😀yyy`, `${"x".repeat(1_998)}😀`],
  ["a pair is not split", `${"x".repeat(1_999)}😀yyy`, "x".repeat(1_999)],
  ["pairs all along are not split", `x${"😀".repeat(1_500)}`, `x${"😀".repeat(999)}`],
  ["letters beyond ASCII count as units, not bytes", "é".repeat(2_000), "é".repeat(2_000)],
])("error texts and hints are cut at 2,000 UTF-16 units: %s", async (_name, text, expected) => {
  expect(await stored(text, text)).toEqual([expected, expected]);
});

test("what follows a NUL in an error text or a hint is not lost", async () => {
  const [error, hint] = await stored("before\0after", "hint\0more");
  expect(error).toMatch(/^before.+after$/su);
  expect(hint).toMatch(/^hint.+more$/su);
});

test.each(["\ud800", "\udc00", "\udc00\ud800"])("lone surrogates in a text do no harm: %j", async (lone) => {
  const [error, hint] = await stored(`before${lone}after`, lone);
  expect(error).toMatch(/^before.+after$/su);
  expect(hint).not.toBe("");
});

test("a message or a hint that is no string does no harm", async () => {
  const odd = new TargetError("x");
  Object.assign(odd, { message: 5, hint: { toString: () => "x" } });
  const { runner, submit } = await startRunner({
    fetch() {
      throw odd;
    },
  });
  const id = await submit("ann", "a");
  await untilTerminal(runner, id);
  const target = (await runner.status(id))?.targets[0];
  expect([target?.status, typeof target?.error, typeof target?.hint]).toEqual(["failed", "string", "string"]);
});
