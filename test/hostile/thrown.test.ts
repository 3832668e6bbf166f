import { describe, expect, test } from "vitest";
import { type FetchFunc, RetryLaterError, TargetError } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { aftermath, GOOD, leaksOf, openScene, SECRET, UNHARMED } from "./scene.js";
import type { ThrownCase } from "./thrown-case.js";
import { CHAINS, LATER, TARGET_ERRORS } from "./thrown-chains.js";
import { BUGS, ERRORS, NO_ERRORS } from "./thrown-values.js";

const ODD = `${SECRET}&odd`;

/** What becomes of a job of two targets where the first fetch of the first one throws the case's value. */
async function lifeOf({ make }: ThrownCase) {
  const box = make();
  const hooked: string[] = [];
  let fetches = 0;
  const fetch: FetchFunc = (target) => {
    if (target.url !== ODD) return { content: "" };
    fetches++;
    if (fetches === 1) throw box.thrown;
    return { content: "" };
  };
  const told = (error: unknown) => hooked.push(givenAs(error, box.thrown));
  const scene = await openScene({ fetch, hooks: { target: told } });
  const id = await scene.submit("ann", ODD, GOOD);
  await settled();
  const [odd] = (await scene.runner.status(id))?.targets ?? [];
  const waitMs = scene.logged().find(({ msg }) => msg === "target put back")?.waitMs;
  const stored = odd?.status === "pending" ? `later ${waitMs}` : `${odd?.status}: ${odd?.error}${hintOf(odd?.hint)}`;
  if (typeof waitMs === "number") scene.clock.increment(waitMs);
  await settled();
  const job = (await scene.runner.status(id))?.job.status;
  return { stored, job, fetches, hooked, ...(await aftermath(scene)) };
}

function givenAs(error: unknown, thrown: unknown): string {
  if (error === undefined) return "ok";
  return Object.is(error, thrown) ? "as thrown" : "another error";
}

function hintOf(hint: string | undefined): string {
  return hint === "" ? "" : ` (${hint})`;
}

function statedLife({ name, stored }: ThrownCase) {
  if (stored.startsWith("later")) {
    return { stored, job: "done", fetches: 2, hooked: ["ok", "ok", "ok"], ...UNHARMED };
  }
  const hooked = [name === "undefined" ? "another error" : "as thrown", "ok", "ok"];
  return { stored, job: "partial", fetches: 1, hooked, ...UNHARMED };
}

/** What is stored of each case's target where the runner is closed while all of them are being fetched. */
async function closedUnder(cases: readonly ThrownCase[]) {
  const boxes = new Map(cases.map(({ name, make }) => [`${SECRET}#${name}`, make()]));
  let hooked = 0;
  const fetch: FetchFunc = ({ url }, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(boxes.get(url)?.thrown)));
  const many = { workers: 100, workersMax: 100, jobsPerCaller: 100, jobsTotal: 100 };
  const scene = await openScene({ fetch, hooks: { target: () => hooked++ }, ...many });
  const ids = await Promise.all([...boxes.keys()].map((url) => scene.submit("ann", url, GOOD)));
  await settled();
  await scene.runner.close();
  await settled();
  const stored: Record<string, string> = {};
  for (const [place, { name }] of cases.entries()) {
    const [odd] = (await scene.store.status(ids[place]!))?.targets ?? [];
    stored[name] = odd?.status === "failed" ? `failed: ${odd.error}${hintOf(odd.hint)}` : `${odd?.status}`;
  }
  return { stored, hooked, strays: scene.strays, leaks: leaksOf(scene.logged()) };
}

function statedAtClose(cases: readonly ThrownCase[]) {
  const stored = Object.fromEntries(cases.map(({ name, storedAtClose }) => [name, storedAtClose ?? "pending"]));
  const hooked = Object.values(stored).filter((status) => status !== "pending").length;
  return { stored, hooked, strays: [], leaks: [] };
}

const TABLES: [string, ThrownCase[]][] = [
  ["no error", NO_ERRORS],
  ["an error of the user's", ERRORS],
  ["a complaint of the runtime", BUGS],
  ["an error in a chain", CHAINS],
  ["a RetryLaterError", LATER],
  ["a TargetError", TARGET_ERRORS],
];

describe.each(TABLES)("R3, R8: a fetch that throws %s", (_kind, cases) => {
  test.each(cases)("$name: $stored", async (thrown) => {
    expect(await lifeOf(thrown)).toEqual(statedLife(thrown));
  });

  test("leaves its target pending where the runner was closing, unless it is an answer of its own", async () => {
    expect(await closedUnder(cases)).toEqual(statedAtClose(cases));
  });
});

test("R3, R8: errors that share one long array are looked through for so many places in all, not for each error", async () => {
  let reads = 0;
  const length = 1_000_000;
  const shared = new Proxy([], { get: (_array, key) => (key === "length" ? length : void reads++) });
  const fetch: FetchFunc = () => {
    let error = new Error("nope");
    for (let place = 0; place < 50; place++) {
      error = Object.assign(new AggregateError([], "nope", { cause: error }), { errors: shared });
    }
    throw error;
  };
  const { runner, submit } = await openScene({ fetch });
  const id = await submit("ann", ODD);
  await settled();
  expect((await runner.status(id))?.targets[0]?.error).toBe("nope");
  expect(reads).toBeLessThan(length);
});

test("R3: the message that a retry window ends with may be hostile too", async () => {
  const thrown = Object.defineProperty(new RetryLaterError("", { afterMs: 30_001 }), "message", { value: 5 });
  const scene = await openScene({
    fetch: (target) => {
      if (target.url === ODD) throw thrown;
      return { content: "" };
    },
  });
  const id = await scene.submit("ann", ODD);
  for (let wait = 0; wait < 4; wait++) {
    await settled();
    scene.clock.increment(30_001);
  }
  await settled();
  const [odd] = (await scene.runner.status(id))?.targets ?? [];
  expect({ status: odd?.status, error: odd?.error, ...(await aftermath(scene)) }).toEqual({
    status: "failed",
    error: "",
    ...UNHARMED,
  });
});

test("R3: a TargetError of another copy of this package is known by its symbol", async () => {
  const foreign = Object.assign(new Error(SECRET), { hint: "elsewhere", [Symbol.for("fairbatch.TargetError")]: true });
  const { runner, submit } = await openScene({
    fetch: () => {
      throw foreign;
    },
  });
  const id = await submit("ann", ODD);
  await settled();
  expect([foreign instanceof TargetError, (await runner.status(id))?.targets[0]?.hint]).toEqual([false, "elsewhere"]);
});
