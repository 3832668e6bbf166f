import { describe, expect, test } from "vitest";
import { createBatchRunner, openSqliteStore, type RunnerConfig } from "../../src/index.js";
import { readSettings } from "../../src/runner/settings.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { rejection } from "../support/raw-submit.js";
import { startRunner } from "../support/runner.js";

const fetch = () => ({ content: "" });
const TIMERS = ["retryWaitMs", "retryForMs", "targetTimeoutMs"] as const;
const OTHERS = [
  "ttlMs",
  "targetsPerJob",
  "jobsPerCaller",
  "jobsTotal",
  "workers",
  "workersMax",
  "maxBytes",
  "maxInterrupted",
] as const;
const NAMES = [...TIMERS, ...OTHERS];
const TIMER_MAX = 2 ** 31 - 1;

const DEFAULTS = {
  ttlMs: 86_400_000,
  targetsPerJob: 32,
  jobsPerCaller: 1,
  jobsTotal: 8,
  workers: 1,
  maxBytes: 67_108_864,
  retryWaitMs: 2_000,
  retryForMs: 600_000,
  targetTimeoutMs: 0,
  maxInterrupted: 3,
};

const of = (values: readonly [string, unknown][]) => Object.fromEntries(values) as Partial<RunnerConfig>;

test.each([undefined, 0, -0])("settings: an option of %s is its default", (value) => {
  expect(readSettings(of(NAMES.map((name) => [name, value])))).toEqual(DEFAULTS);
});

test("settings: without options there are only defaults", () => {
  expect(readSettings({})).toEqual(DEFAULTS);
});

test("settings: options are taken as they are given", () => {
  const given = of(NAMES.map((name, index) => [name, index + 1]));
  const { workersMax: _workersMax, ...expected } = given;
  expect(readSettings(given)).toEqual(expected);
});

describe.each(NAMES)("settings: %s", (name) => {
  test.each([Number.NaN, -1, 0.5, -0.5, 1.5, Number.NEGATIVE_INFINITY, "3", null, true, [3], {}, 3n])(
    "of %s is a RangeError that names it, and the store stays free",
    async (value) => {
      const store = await openSqliteStore(":memory:");
      const error = await rejection(createBatchRunner({ store, fetch, ...of([[name, value]]) }));
      expect(error).toBeInstanceOf(RangeError);
      expect((error as RangeError).message).toMatch(new RegExp(`\\b${name}\\b`));
      await (await createBatchRunner({ store, fetch })).close();
      await store.close();
    },
  );
});

test.each(TIMERS)("settings: %s feeds a timer, and may be 2^31-1 ms but no more", (name) => {
  expect(readSettings(of([[name, TIMER_MAX]]))).toEqual({ ...DEFAULTS, [name]: TIMER_MAX });
  expect(() => readSettings(of([[name, TIMER_MAX + 1]]))).toThrow(RangeError);
  expect(() => readSettings(of([[name, TIMER_MAX + 1]]))).toThrow(new RegExp(`\\b${name}\\b`));
});

test.each(OTHERS)("settings: %s feeds no timer, and may be 2^31", (name) => {
  const given = of([[name, 2 ** 31]]);
  const clamped = name === "workers" ? { workers: 2 } : name === "workersMax" ? {} : given;
  expect(readSettings(given)).toEqual({ ...DEFAULTS, ...clamped });
});

test.each([
  [{ workers: 1 }, 1],
  [{ workers: 2 }, 2],
  [{ workers: 5 }, 2],
  [{ workers: 5, workersMax: 3 }, 3],
  [{ workers: 2, workersMax: 3 }, 2],
  [{ workersMax: 3 }, 1],
  [{ workers: 5, workersMax: 0 }, 2],
])("settings: %j fetches %i targets at once", async (config, expected) => {
  const held = heldFetch();
  const { submit } = await startRunner({ fetch: held.fetch, ...config });
  for (let job = 0; job < 6; job++) await submit("a", `u:${job}`);
  await settled();
  expect(held.urls).toHaveLength(expected);
});

test.each([Number.NaN, -1, 0.5, "3", null, 2 ** 31])(
  "settings: close rejects a timeoutMs of %s by its name",
  async (value) => {
    const { runner } = await startRunner({ fetch });
    const error = await rejection(runner.close({ timeoutMs: value as number }));
    expect(error).toBeInstanceOf(RangeError);
    expect((error as RangeError).message).toMatch(/\btimeoutMs\b/);
  },
);

test.each([undefined, null, {}, "fetch", 7])(
  "settings: a fetch of %j is a TypeError, and the store stays free",
  async (bad) => {
    const store = await openSqliteStore(":memory:");
    expect(await rejection(createBatchRunner({ store, fetch: bad as unknown as typeof fetch }))).toBeInstanceOf(
      TypeError,
    );
    await (await createBatchRunner({ store, fetch })).close();
    await store.close();
  },
);

test.each([undefined, null, {}, "store", 7])("settings: a store of %j is a TypeError", async (bad) => {
  const config = { store: bad, fetch } as unknown as RunnerConfig;
  expect(await rejection(createBatchRunner(config))).toBeInstanceOf(TypeError);
});

test.each([undefined, null, 7])("settings: a config of %j is a TypeError", async (bad) => {
  expect(await rejection(createBatchRunner(bad as unknown as RunnerConfig))).toBeInstanceOf(TypeError);
});
