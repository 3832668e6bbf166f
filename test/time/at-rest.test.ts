import { expect, test } from "vitest";
import { HOUR_MS, type Life, startLife, YEAR_MS } from "./life-on-clock.js";

const STARTED_S = 1_700_000_000;
const TTL_MS = 24 * HOUR_MS;

async function endedJob(life: Life): Promise<string> {
  const id = await life.submit("a");
  (await life.next()).succeed();
  await life.runner.idle();
  return id;
}

/** The job is at rest when the wall clock is set: what the next submit, sweep and touch make of its lease. */
test.each([
  { step: "12 hours back", stepMs: -12 * HOUR_MS, reused: true, kept: true },
  { step: "a year back", stepMs: -YEAR_MS, reused: true, kept: true },
  { step: "12 hours forward", stepMs: 12 * HOUR_MS, reused: true, kept: true },
  { step: "to the end of the TTL", stepMs: TTL_MS, reused: true, kept: true },
  { step: "a second past the TTL", stepMs: TTL_MS + 1_000, reused: false, kept: false },
  { step: "a year forward", stepMs: YEAR_MS, reused: false, kept: false },
])("R1: a job at rest, and the wall clock is set $step: the lease is judged by wall time", async (row) => {
  const life = await startLife({ ttlMs: TTL_MS }, (clock) => clock);
  const { clock, runner, raw, next, submit } = life;
  const id = await endedJob(life);
  clock.wallMs += row.stepMs;
  const other = await submit("b");
  (await next()).succeed();
  await runner.idle();
  const swept = raw.prepare("select count(*) from batch_job where id = ?").pluck().get(id) === 0;
  const again = await submit("a");
  const reused = again === id;
  expect({ reused, kept: !swept }).toEqual({ reused: row.reused, kept: row.kept });
  const leases = raw.prepare("select created_at, lease from batch_job where id = ?").raw();
  expect(leases.get(other)).toEqual([STARTED_S + row.stepMs / 1000, STARTED_S + row.stepMs / 1000]);
});

test("R6: touch sets the lease to wall time, wherever that was set to, and the TTL runs from there", async () => {
  const life = await startLife({ ttlMs: TTL_MS }, (clock) => clock);
  const { clock, runner, raw, submit } = life;
  const id = await endedJob(life);
  const lease = raw.prepare("select lease from batch_job where id = ?").pluck();
  clock.wallMs -= 12 * HOUR_MS;
  await runner.touch(id);
  expect(lease.get(id)).toBe(STARTED_S - 12 * 3_600);
  clock.wallMs += TTL_MS;
  expect(await submit("a")).toBe(id);
  clock.wallMs += 1_000;
  expect(await submit("a")).not.toBe(id);
});

test("R2: jobs keep their submit order, however the wall clock is set between their submits", async () => {
  const { clock, runner, next, submit } = await startLife({}, (watched) => watched);
  for (const [url, stepMs] of [
    ["a", 0],
    ["b", -YEAR_MS],
    ["c", 2 * YEAR_MS],
  ] as const) {
    clock.wallMs += stepMs;
    await submit(`${url}1`, `${url}2`);
  }
  const urls: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const call = await next();
    urls.push(call.target.url);
    call.succeed();
  }
  await runner.idle();
  expect(urls).toEqual(["a1", "b1", "c1", "a2", "b2", "c2"]);
});
