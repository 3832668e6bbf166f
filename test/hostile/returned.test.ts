import { describe, expect, test } from "vitest";
import type { FetchFunc, Result } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { INVALID_RESULTS, type ReturnedCase, STORED_RESULTS, THENABLES } from "./returned-cases.js";
import { aftermath, GOOD, openScene, SECRET, UNHARMED } from "./scene.js";

const ODD = `${SECRET}&odd`;

/** What becomes of a job of two targets where the first fetch of the first one returns the case's value. */
async function lifeOf({ make }: ReturnedCase) {
  const bytes: number[] = [];
  let fetches = 0;
  const fetch: FetchFunc = (target) => {
    if (target.url !== ODD) return { content: "" };
    fetches++;
    return fetches === 1 ? (make() as Result) : { content: "" };
  };
  const hooks = { target: (_error: unknown, _durationMs: number, resultBytes: number) => bytes.push(resultBytes) };
  const scene = await openScene({ fetch, hooks, targetTimeoutMs: 5_000 });
  const id = await scene.submit("ann", ODD, GOOD);
  await settled();
  const waits = scene.logged().find(({ msg }) => msg === "target put back")?.waitMs;
  scene.clock.increment(5_000);
  await settled();
  const report = await scene.runner.status(id);
  const [odd] = report?.targets ?? [];
  const ended = odd?.result === undefined ? `failed: ${odd?.error}` : `done ${JSON.stringify(odd.result)}`;
  const stored = waits === undefined ? ended : `later ${waits}`;
  return { stored, job: report?.job.status, fetches, bytes, ...(await aftermath(scene)) };
}

function statedLife({ stored }: ReturnedCase) {
  const [kind, json = ""] = /^(?:failed|later|done (?<json>.*)$)/su.exec(stored) ?? [];
  const resultBytes = kind === "later" ? 14 : Buffer.byteLength(json);
  return {
    stored,
    job: kind === "failed" ? "partial" : "done",
    fetches: kind === "later" ? 2 : 1,
    bytes: [resultBytes, 14, 14],
    ...UNHARMED,
  };
}

const TABLES: [string, ReturnedCase[]][] = [
  ["what is no result fails as `invalid result`", INVALID_RESULTS],
  ["any other object is stored as its JSON", STORED_RESULTS],
  ["a promise, or what passes for one, is what comes of it", THENABLES],
];

describe.each(TABLES)("R3, R8: of what a fetch returns, %s", (_kind, cases) => {
  test.each(cases)("$name", async (returned) => {
    expect(await lifeOf(returned)).toEqual(statedLife(returned));
  });
});
