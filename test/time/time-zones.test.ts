import { expect, onTestFinished, test } from "vitest";
import { RetryLaterError } from "../../src/index.js";
import { startLife } from "./life-on-clock.js";

/** New York's clocks go from 2:00 to 3:00 at the first, and from 2:00 to 1:00 at the second. */
const SPRING_MS = Date.UTC(2024, 2, 10, 7);
const AUTUMN_MS = Date.UTC(2024, 10, 3, 6);

function inZone(zone: string): void {
  const before = process.env.TZ;
  onTestFinished(() => {
    // Assigning undefined would set the text "undefined".
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  process.env.TZ = zone;
}

const offsetAt = (ms: number) => new Date(ms).getTimezoneOffset();

/** A job that begins a quarter of an hour before the change and ends after it: its rows, but for its random id. */
async function rowsAround(changeMs: number): Promise<unknown> {
  const { clock, runner, raw, next, submit, said } = await startLife({ retryForMs: 3_600_000 }, (watched) => watched);
  clock.wallMs = changeMs - 900_000;
  const id = await submit("a", "b");
  const a = await next();
  clock.jump(600_000);
  a.succeed();
  (await next()).fail(new RetryLaterError("later", { afterMs: 1_200_000 }));
  await new Promise(setImmediate);
  clock.jump(1_200_000);
  const b = await next();
  clock.jump(60_000);
  b.succeed();
  await runner.idle();
  await runner.touch(id);
  const jobs = raw.prepare("select status, created_at, lease, targets_done, nbytes from batch_job").all();
  const targets = raw.prepare("select * from batch_target order by idx").all() as { job_id: string }[];
  return { jobs, targets: targets.map((target) => ({ ...target, job_id: "" })), said };
}

test.each([
  ["spring", SPRING_MS, 300, 240],
  ["autumn", AUTUMN_MS, 240, 300],
])(
  "nothing reads local time: a job over the change of %s has the same rows in every zone",
  async (_name, changeMs, before, after) => {
    inZone("America/New_York");
    expect([offsetAt(changeMs - 1), offsetAt(changeMs)]).toEqual([before, after]);
    const there = await rowsAround(changeMs);
    inZone("UTC");
    expect([offsetAt(changeMs - 1), offsetAt(changeMs)]).toEqual([0, 0]);
    expect(there).toEqual(await rowsAround(changeMs));
  },
);
