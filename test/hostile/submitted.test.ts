import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { type Batch, BatchError, type BatchRunner, type FetchFunc } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { rejection } from "../support/raw-submit.js";
import { aftermath, GOOD, MARK, openScene, UNHARMED } from "./scene.js";
import { BATCHES, CALLERS, CLASSES_AND_KEYS, SIGNALS } from "./submitted-batches.js";
import { batchWith, CALLER, STORED, type StoredBatch, type SubmittedCase, TARGET } from "./submitted-case.js";
import { REFUSED_OPTIONS, STORED_OPTIONS } from "./submitted-options.js";
import { TARGET_LISTS, TARGETS } from "./submitted-targets.js";

/** One job at a time, so that a slot which is not given back would keep the next job out. */
const ONE_SLOT = { jobsTotal: 1, jobsPerCaller: 1 };

async function submitRaw(
  runner: BatchRunner,
  { make, afterwards }: SubmittedCase,
): Promise<{ batch: unknown; id: string }> {
  const batch = make();
  const submit = runner.submit(batch as Batch);
  afterwards?.(batch as never);
  return { batch, id: (await submit).id };
}

/** What a submit was refused with, and what it left behind. */
async function refusal(submitted: SubmittedCase) {
  const scene = await openScene({ fetch: () => ({ content: "" }), ...ONE_SLOT });
  const error = await rejection(submitRaw(scene.runner, submitted));
  await settled();
  const left = [await scene.store.list(), [...scene.lines], scene.logged(), scene.runner.gauges.getSnapshot().context];
  const leaksUrl = error instanceof Error && inspect(error, { showHidden: true, depth: null }).includes(MARK);
  return { refused: textOf(error), left, leaksUrl, ...(await aftermath(scene)) };
}

function textOf(error: unknown): string {
  if (error instanceof BatchError) {
    return `${error.code}${error.index === undefined ? "" : `(${error.index})`}: ${error.message}`;
  }
  return error instanceof TypeError ? `TypeError: ${error.message}` : `reason ${String(error)}`;
}

/** What is stored of a batch and what its fetches are given. */
async function stored(submitted: SubmittedCase) {
  const fetched: StoredBatch["targets"] = [];
  const callers = new Set<unknown>();
  const fetch: FetchFunc = ({ url, options }, { caller }) => {
    if (url === GOOD) return { content: "" };
    fetched.push([url, JSON.stringify(options)]);
    callers.add(caller);
    return { content: "" };
  };
  const scene = await openScene({ fetch, ...ONE_SLOT });
  const { batch, id } = await submitRaw(scene.runner, submitted);
  await settled();
  const { job, targets } = (await scene.runner.status(id))!;
  const rows = targets.map(({ url, options }) => [url, JSON.stringify(options)]);
  const given = [...callers].map((caller) => caller === (batch as Batch).caller);
  const { caller, callerClass, status } = job;
  return { caller, callerClass, status, targets: rows, fetched, given, ...(await aftermath(scene)) };
}

function statedStored({ stored: changes }: SubmittedCase) {
  const batch = { ...STORED, ...changes };
  return { ...batch, fetched: batch.targets, status: "done", given: [true], ...UNHARMED };
}

const TABLES: [string, SubmittedCase[]][] = [
  ["a batch", BATCHES],
  ["a caller", CALLERS],
  ["a class or a key", CLASSES_AND_KEYS],
  ["a signal", SIGNALS],
  ["targets", TARGET_LISTS],
  ["a target", TARGETS],
  ["options with", REFUSED_OPTIONS],
  ["options with", STORED_OPTIONS],
];

describe.each(TABLES)("R1.1: %s", (_kind, cases) => {
  const refused = cases.filter((submitted) => submitted.refused !== undefined);
  const accepted = cases.filter((submitted) => submitted.stored !== undefined);

  test.for(refused)("$name: refused, and nothing is left: $refused", async (submitted) => {
    const left = [[], [], [], { live: 0, inflight: 0 }];
    expect(await refusal(submitted)).toEqual({ refused: submitted.refused, left, leaksUrl: false, ...UNHARMED });
  });

  test.for(accepted)("$name: stored in its normal form", async (submitted) => {
    expect(await stored(submitted)).toEqual(statedStored(submitted));
  });
});

/** Each fault of a batch in the order in which it is looked for, with what is refused as long as it is there. */
const ORDER: [string, object][] = [
  ["TypeError: caller.name must be a string", { caller: { name: 7 } }],
  ["TypeError: callerClass must be a string", { callerClass: 7 }],
  ["TypeError: idempotencyKey must be a string", { idempotencyKey: 7 }],
  ["ERR_NO_TARGETS: no targets", { targets: [] }],
  ["ERR_INVALID_TARGET(2): invalid target at index 2: url is not a string", { targets: [TARGET, TARGET, 5, 6] }],
  [`reason ${MARK}`, { targets: Array(5).fill(TARGET), signal: AbortSignal.abort(MARK) }],
  ["ERR_TOO_MANY_TARGETS: too many targets", { targets: Array(5).fill(TARGET) }],
  ["ERR_CALLER_BUSY: busy", { caller: CALLER }],
  ["ERR_BUSY: jobs busy", { caller: { name: "another" } }],
];

test("R1: of several faults of a batch, the first in the order of the rule is told", async () => {
  const held = heldFetch({ ignoreAbort: true });
  const { runner, submit, store } = await openScene({ fetch: held.fetch, ...ONE_SLOT, targetsPerJob: 4 });
  await submit(STORED.caller, GOOD);
  const told: string[] = [];
  for (const place of ORDER.keys()) {
    const faults = batchWith();
    for (const [, fault] of ORDER.slice(place).reverse()) Object.assign(faults, fault);
    told.push(textOf(await rejection(runner.submit(faults as Batch))));
  }
  expect(told).toEqual(ORDER.map(([refused]) => refused));
  expect(await store.list()).toHaveLength(1);
});

test("R1: a closed runner refuses before it looks at the batch", async () => {
  const { runner } = await openScene({ fetch: () => ({ content: "" }) });
  await runner.close();
  expect(textOf(await rejection(runner.submit(undefined as never)))).toBe("ERR_CLOSED: runner closed");
});
