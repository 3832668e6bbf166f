import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { RetryLaterError, TargetError } from "../../src/index.js";
import { prometheusHooks } from "../../src/prometheus/index.js";
import { type HeldFetch, heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { startOnManualClock } from "../support/runner.js";
import { bucketsOf, samplesOf, scrape } from "./scrape.js";

const SECRET = "https://secret.example/s3cret";

async function startCounted() {
  const register = new Registry();
  const held = heldFetch();
  const started = await startOnManualClock({ fetch: held.fetch, hooks: prometheusHooks(register), retryForMs: 60_000 });
  return { register, held, ...started };
}

/** The next call is answered after so many milliseconds. */
async function answer(held: HeldFetch, clock: { jump(ms: number): void }, ms: number, error?: unknown): Promise<void> {
  const call = await held.next();
  clock.jump(ms);
  if (error === undefined) call.succeed({ content: "x".repeat(ms) });
  else call.fail(error);
  await settled();
}

/** A run with each kind of outcome, of jobs and of targets. */
async function everyOutcome() {
  const { register, held, runner, clock, submit } = await startCounted();
  const done = await submit("ann", SECRET);
  await answer(held, clock, 3);
  const partial = await submit("ann", `${SECRET}/1`, `${SECRET}/2`, `${SECRET}/3`);
  await answer(held, clock, 20);
  await answer(held, clock, 200, new TargetError(SECRET, { status: 404, hint: SECRET }));
  await answer(held, clock, 1, new RetryLaterError(SECRET));
  clock.jump(2_000);
  await answer(held, clock, 40_000, new TargetError(SECRET, { status: 503 }));
  const failed = await submit("ann", `${SECRET}/4`, `${SECRET}/5`);
  await answer(held, clock, 700_000, new TypeError(SECRET));
  await answer(held, clock, 0, new Error(SECRET));
  const ends = await Promise.all([done, partial, failed].map((id) => untilTerminal(runner, id)));
  expect(ends.map((job) => job?.status)).toEqual(["done", "partial", "failed"]);
  await submit("ann", SECRET);
  const cancelled = await submit("ann", `${SECRET}/6`, `${SECRET}/7`);
  const call = await held.next();
  await runner.cancel(cancelled);
  call.succeed({ content: "" });
  await settled();
  return register;
}

test("prometheusHooks: a scrape has the conventions' content type, names, helps and types", async () => {
  const { contentType, metrics } = await scrape(await everyOutcome());
  const types = Object.entries(metrics).map(([name, { type, help }]) => [name, type, help]);
  expect({ contentType, types }).toEqual({
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    types: [
      ["fairbatch_submits_total", "counter", "Submits accepted: a job created, or one reused."],
      ["fairbatch_jobs_total", "counter", "Jobs that ended, by how."],
      [
        "fairbatch_targets_total",
        "counter",
        "Targets stored, by outcome and by the class of the HTTP status that a failed one carries.",
      ],
      ["fairbatch_target_duration_seconds", "histogram", "How long the last fetch of a stored target took."],
      ["fairbatch_job_duration_seconds", "histogram", "From submit to end, of jobs that were not cancelled."],
      ["fairbatch_result_size_bytes", "histogram", "The JSON of each result."],
      ["fairbatch_live_jobs", "gauge", "Jobs that are queued or running."],
      ["fairbatch_inflight_targets", "gauge", "Targets that are being fetched."],
    ],
  });
});

test("prometheusHooks: a run with each kind of outcome is counted, and no label holds more than outcomes and classes", async () => {
  const { metrics } = await scrape(await everyOutcome());
  const sizes = [3, 20, 0].map((length) => JSON.stringify({ content: "x".repeat(length) }).length);
  const seconds = [0.003, 0.02, 0.2, 40, 700, 0, 0];
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number);
  expect(samplesOf(metrics)).toEqual({
    'fairbatch_submits_total{outcome="created"}': 4,
    'fairbatch_submits_total{outcome="reused"}': 1,
    'fairbatch_jobs_total{outcome="done"}': 1,
    'fairbatch_jobs_total{outcome="partial"}': 1,
    'fairbatch_jobs_total{outcome="failed"}': 1,
    'fairbatch_jobs_total{outcome="cancelled"}': 1,
    'fairbatch_targets_total{outcome="done",status_class="none"}': 3,
    'fairbatch_targets_total{outcome="failed",status_class="none"}': 2,
    'fairbatch_targets_total{outcome="failed",status_class="1xx"}': 0,
    'fairbatch_targets_total{outcome="failed",status_class="2xx"}': 0,
    'fairbatch_targets_total{outcome="failed",status_class="3xx"}': 0,
    'fairbatch_targets_total{outcome="failed",status_class="4xx"}': 1,
    'fairbatch_targets_total{outcome="failed",status_class="5xx"}': 1,
    fairbatch_target_duration_seconds_sum: expect.closeTo(sum(seconds), 6),
    fairbatch_target_duration_seconds_count: 7,
    fairbatch_job_duration_seconds_sum: expect.closeTo(0.003 + 42.221 + 700, 6),
    fairbatch_job_duration_seconds_count: 3,
    fairbatch_result_size_bytes_sum: sum(sizes),
    fairbatch_result_size_bytes_count: 3,
    fairbatch_live_jobs: 0,
    fairbatch_inflight_targets: 0,
  });
});

test("prometheusHooks: buckets part targets of ms to minutes, jobs of seconds to hours, results of bytes to megabytes", async () => {
  const register = new Registry();
  const { target, jobSeconds } = prometheusHooks(register);
  for (const ms of [5, 6, 1_000, 60_000, 600_000, 600_001]) target(undefined, ms, 300);
  for (const seconds of [0.2, 60, 3_600, 100_000]) jobSeconds(seconds);
  for (const bytes of [14, 5_000_000, 1e9]) target(undefined, 0, bytes);
  const { metrics } = await scrape(register);
  expect({
    targets: bucketsOf(metrics.fairbatch_target_duration_seconds!),
    jobs: bucketsOf(metrics.fairbatch_job_duration_seconds!),
    results: bucketsOf(metrics.fairbatch_result_size_bytes!),
  }).toEqual({
    targets: { 0.005: 4, 0.025: 1, 1: 1, 60: 1, 600: 1, "+Inf": 1 },
    jobs: { 1: 1, 60: 1, 3600: 1, "+Inf": 1 },
    results: { 256: 1, 1024: 6, 16777216: 1, "+Inf": 1 },
  });
});

test("prometheusHooks: the gauges follow the runner while it works", async () => {
  const { register, held, submit } = await startCounted();
  const gauges = async () => {
    const { metrics } = await scrape(register);
    return [metrics.fairbatch_live_jobs, metrics.fairbatch_inflight_targets].map((gauge) =>
      Object.values(gauge!.samples),
    );
  };
  const seen = [await gauges()];
  await submit("ann", "a");
  await submit("ann", "b");
  const call = await held.next();
  seen.push(await gauges());
  call.succeed();
  await held.next();
  seen.push(await gauges());
  expect(seen).toEqual([
    [[0], [0]],
    [[2], [1]],
    [[1], [1]],
  ]);
});
