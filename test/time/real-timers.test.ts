import { expect, test } from "vitest";
import { runScript } from "../support/run-script.js";

const RETRY_WAIT_MS = 100;
const LIMIT_MS = 300;
const STOPPED_MS = 500;

/** Node's timers count whole milliseconds, and may be a part of one early. */
const EARLY_MS = 1;

const SCRIPT = `
const { RetryLaterError, createBatchRunner, openSqliteStore } = fairbatch;
const store = await openSqliteStore(":memory:");
const said = [];
let busySince;
const fetch = ({ url }, { attempt }) => {
  said.push(url + " " + attempt);
  if (url === "busy" && attempt === 1) { busySince = performance.now(); throw new RetryLaterError(); }
  if (url === "busy") said.push(performance.now() - busySince);
  if (url === "hangs") { console.log("in flight"); return new Promise(() => {}); }
  return { content: "" };
};
const hooks = { target: (error, durationMs) => said.push(error === undefined ? "ok" : error.message, durationMs) };
const runner = await createBatchRunner({
  store, fetch, hooks, retryWaitMs: ${RETRY_WAIT_MS}, targetTimeoutMs: ${LIMIT_MS}, jobsPerCaller: 8,
});
for (const url of ["busy", "hangs"]) {
  await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [{ url }, { url: url + " next" }] });
}
await runner.idle();
await runner.close({ drain: true, timeoutMs: 60_000 });
await store.close();
console.log(JSON.stringify(said));
`;

test("R3: on Node's own timers, in a process that is stopped while a wait and a time limit run: each ends once, and not early", async () => {
  const script = runScript(SCRIPT);
  await script.printed("in flight");
  script.child.kill("SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, STOPPED_MS));
  script.child.kill("SIGCONT");
  const { code, stdout, stderr } = await script.ended;
  expect([code, stderr]).toEqual([0, ""]);
  const said = JSON.parse(stdout.split("\n")[1] ?? "[]") as (string | number)[];
  expect(said.filter((word) => typeof word === "string")).toEqual([
    ...["busy 1", "hangs 1", "timed out"],
    ...["busy 2", "ok", "hangs next 1", "ok", "busy next 1", "ok"],
  ]);
  const [limitMs, waitMs, ...rest] = said.filter((word) => typeof word === "number");
  expect(limitMs).toBeGreaterThanOrEqual(LIMIT_MS - EARLY_MS);
  expect(waitMs).toBeGreaterThanOrEqual(RETRY_WAIT_MS - EARLY_MS);
  expect(rest.filter((ms) => !(ms >= 0))).toEqual([]);
});
