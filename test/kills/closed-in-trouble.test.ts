import { expect, test } from "vitest";
import { createBatchRunner, RetryLaterError } from "../../src/index.js";
import { ManualClock, settled } from "../../src/testing/index.js";
import { recordHooks } from "../support/runner.js";
import { type OpenFile, OUTAGES, openFile } from "./store-outages.js";
import { unsoundRows } from "./unsound-rows.js";

/** More than the pages of a new file have left, so that a full disk is felt. */
const PADDING = "x".repeat(20_000);
const URLS = { ann: ["a:1", "a:2", "a:3"], bob: ["b:1", "b:2"], cat: ["busy"] };

/** Runs jobs until they stand or end under an outage that began with the second fetch, and closes the runner in its midst. */
async function closeInOutage(file: OpenFile, begin: () => void, seconds: number, fetched: string[]): Promise<void> {
  const clock = new ManualClock();
  const fetch = ({ url }: { url: string }) => {
    fetched.push(url);
    const isFirst = fetched.indexOf(url) === fetched.length - 1;
    if (url === "busy" && isFirst) throw new RetryLaterError("busy", { afterMs: 60_000 });
    if (url === "b:1") begin();
    return { content: url, meta: { padding: PADDING } };
  };
  const times = { retryWaitMs: 1_000, retryForMs: 10_000 };
  const runner = await createBatchRunner({ store: file.store, fetch, clock, ...times });
  for (const [name, urls] of Object.entries(URLS)) {
    await runner.submit({ caller: { name }, callerClass: "", targets: urls.map((url) => ({ url })) });
  }
  for (let second = 0; second < seconds; second++) {
    await settled();
    clock.jump(1_000);
  }
  await settled();
  await runner.close();
  expect(clock.waits).toEqual([]);
}

/** What the next runner makes of it, once the trouble is over. */
async function goOn({ store, raw }: OpenFile, fetched: string[]) {
  const clock = new ManualClock();
  const { hooks, lines } = recordHooks();
  const fetch = ({ url }: { url: string }) => {
    fetched.push(url);
    return { content: url };
  };
  const resume = ({ caller }: { caller: string }) => ({ name: caller });
  const runner = await createBatchRunner({ store, fetch, clock, hooks, resume });
  for (let minute = 0; minute < 2; minute++) {
    await settled();
    clock.jump(60_000);
  }
  await runner.idle();
  await settled();
  const left = { ...runner.gauges.getSnapshot().context, timers: clock.waits };
  await runner.close();
  const jobs = raw.prepare("select caller || ' ' || status from batch_job order by seq").pluck().all();
  const contents = raw
    .prepare(
      "select json_extract(result, '$.content') from batch_target join batch_job on id = job_id order by seq, idx",
    )
    .pluck();
  return {
    jobs,
    contents: contents.all(),
    told: lines.filter((line) => line.startsWith("job ")),
    left,
    unsound: unsoundRows(raw),
  };
}

// Those that refuse only what is new are of no concern to jobs that are there.
test.each(OUTAGES.filter(([name]) => !name.includes("insert")))(
  "R8, section 2: a runner closed in the midst of an outage leaves what the next one ends, fetching nothing there twice: %s",
  async (_name, begin, end) => {
    for (const seconds of [4, 14]) {
      const file = await openFile();
      const fetched: string[] = [];
      await closeInOutage(file, () => begin(file), seconds, fetched);
      end(file);
      const before = fetched.splice(0);
      expect(await goOn(file, fetched)).toEqual({
        jobs: ["ann done", "bob done", "cat done"],
        contents: Object.values(URLS).flat(),
        told: ["job done", "job done", "job done"],
        left: { live: 0, inflight: 0, timers: [] },
        unsound: [],
      });
      expect([new Set(fetched).size, before.includes("b:1")]).toEqual([fetched.length, true]);
    }
  },
);
