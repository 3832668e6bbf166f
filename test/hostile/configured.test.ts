import { describe, expect, onTestFinished, test } from "vitest";
import {
  type BatchRunner,
  type BatchStore,
  createBatchRunner,
  openSqliteStore,
  type RunnerConfig,
} from "../../src/index.js";
import { settled, untilTerminal } from "../../src/testing/index.js";
import { logIntoMemory } from "../support/log-lines.js";
import { rejection } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";
import {
  BYSTANDERS,
  CLOCKS,
  CONFIGS,
  COUNTS,
  type ConfiguredCase,
  MORE_COUNTS,
  NO_NUMBERS,
  PARTS,
  TIMERS,
} from "./configured-cases.js";
import { withThrowing } from "./odd-values.js";
import { collectStrays, GOOD, leaksOf, MARK, SECRET } from "./scene.js";

async function openStore(): Promise<BatchStore> {
  const store = await openSqliteStore(":memory:");
  onTestFinished(() => store.close());
  return store;
}

/** What making a runner is refused with, and how one job ends on it, or else on a good one over the same store. */
async function outcomeOf(store: BatchStore, config: unknown) {
  const strays = collectStrays();
  let refused = "";
  let runner: BatchRunner | undefined;
  try {
    runner = await createBatchRunner(config as RunnerConfig);
  } catch (error) {
    refused = String(error);
  }
  runner ??= await createBatchRunner({ store, fetch: () => ({ content: "" }) });
  const { id } = await runner.submit({ caller: { name: MARK }, callerClass: "", targets: [{ url: GOOD }] });
  const next = (await untilTerminal(runner, id))?.status;
  await runner.close();
  await settled();
  return { refused, next, strays };
}

const UNHARMED = { next: "done", strays: [], leaks: [] };

/** A config with a good store, fetch and logger, but for what the case gives. */
async function caseOutcome({ make }: ConfiguredCase, isWhole: boolean) {
  const store = await openStore();
  const log = logIntoMemory();
  const given = make(store);
  const good = { store, fetch: () => ({ content: "" }), logger: log.logger };
  const config = isWhole ? given : Object.defineProperties(good, Object.getOwnPropertyDescriptors(given));
  return { ...(await outcomeOf(store, config)), leaks: leaksOf(log.lines()) };
}

const TABLES: [string, ConfiguredCase[]][] = [
  ["a config", CONFIGS],
  ["a part", PARTS],
  ["a bystander", BYSTANDERS],
  ["a clock", CLOCKS],
];

describe.each(TABLES)("R8: a runner made with %s", (kind, cases) => {
  test.each(cases)("$name", async (configured) => {
    const { refused: stated = "" } = configured;
    const { refused, ...rest } = await caseOutcome(configured, kind === "a config");
    // The runtime's own words for a missing method are its affair.
    const told = stated === "TypeError" ? refused.slice(0, stated.length) : refused;
    expect({ refused: told, ...rest }).toEqual({ refused: stated, ...UNHARMED });
  });
});

test.each([...TIMERS, ...COUNTS, ...MORE_COUNTS])(
  "settings: what is no number of 0 or more is refused by the name of its option, and the store stays free: %s",
  async (name) => {
    const store = await openStore();
    const refused: [string, string][] = [];
    for (const [value, given] of NO_NUMBERS) {
      const config = { store, fetch: () => ({ content: "" }), [name]: given };
      refused.push([value, String(await rejection(createBatchRunner(config)))]);
    }
    const stated = `RangeError: ${name} must be a whole number, 0 or more`;
    expect(refused).toEqual(NO_NUMBERS.map(([value]) => [value, stated]));
    const { refused: none, ...rest } = await outcomeOf(store, { store, fetch: () => ({ content: "" }), [name]: 0 });
    expect({ none, ...rest }).toEqual({ none: "", next: "done", strays: [] });
  },
);

test.each(TIMERS)("settings: %s of 2^31 ms is refused, since Node would fire at once", async (name) => {
  const store = await openStore();
  const config = { store, fetch: () => ({ content: "" }), [name]: 2 ** 31 };
  expect(await outcomeOf(store, config)).toEqual({
    refused: `RangeError: ${name} must be at most 2147483647`,
    next: "done",
    strays: [],
  });
});

test.each([...COUNTS, ...MORE_COUNTS])("settings: %s feeds no timer and may be 2^31", async (name) => {
  const store = await openStore();
  const config = { store, fetch: () => ({ content: "" }), [name]: 2 ** 31 };
  expect(await outcomeOf(store, config)).toEqual({ refused: "", next: "done", strays: [] });
});

const BAD_CLOSES: [string, unknown, string][] = [
  ...NO_NUMBERS.map(([name, timeoutMs]): [string, unknown, string] => [
    `a timeoutMs of ${name}`,
    { timeoutMs },
    "RangeError: timeoutMs must be a whole number, 0 or more",
  ]),
  ["a timeoutMs of 2^31", { timeoutMs: 2 ** 31 }, "RangeError: timeoutMs must be at most 2147483647"],
  ["a timeoutMs that throws", withThrowing({}, "timeoutMs"), `Error: ${SECRET}`],
  ["null for options", null, "TypeError"],
];

test("settings: a close with bad options is refused, and closes nothing", async () => {
  const { runner, submit } = await startRunner({ fetch: () => ({ content: "" }) });
  const refused: [string, string][] = [];
  for (const [name, options] of BAD_CLOSES) {
    refused.push([name, String(await rejection(runner.close(options as object))).slice(0, 70)]);
  }
  expect(refused).toEqual(BAD_CLOSES.map(([name, , stated]) => [name, expect.stringContaining(stated)]));
  const id = await submit("ann", GOOD);
  expect((await untilTerminal(runner, id))?.status).toBe("done");
  expect(await runner.close({ drain: "yes", timeoutMs: 5 } as object)).toBeUndefined();
});
