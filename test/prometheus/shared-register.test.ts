import { Counter, register as globalRegister, type OpenMetricsContentType, Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { type Hooks, TargetError } from "../../src/index.js";
import { prometheusHooks } from "../../src/prometheus/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { recordHooks, startRunner } from "../support/runner.js";
import { samplesOf, scrape } from "./scrape.js";

const valuesIn = async (register: Registry, ...names: string[]) => {
  const samples = samplesOf((await scrape(register)).metrics);
  return names.map((name) => samples[name]);
};

test("prometheusHooks: two runners on one register add up, in counts, durations and gauges", async () => {
  const register = new Registry();
  const fetches = [heldFetch(), heldFetch()] as const;
  const [first, second] = await Promise.all(
    fetches.map(({ fetch }) => startRunner({ fetch, hooks: prometheusHooks(register) })),
  );
  const seen: unknown[] = [];
  const look = async () =>
    seen.push(
      await valuesIn(
        register,
        "fairbatch_live_jobs",
        "fairbatch_inflight_targets",
        'fairbatch_jobs_total{outcome="done"}',
        "fairbatch_job_duration_seconds_count",
      ),
    );
  await first!.submit("ann", "a");
  await first!.submit("ann", "b");
  await second!.submit("ann", "a");
  const calls = [await fetches[0].next(), await fetches[1].next()] as const;
  await look();
  calls[0].succeed();
  await fetches[0].next();
  await look();
  calls[1].succeed();
  await settled();
  await look();
  expect(seen).toEqual([
    [3, 2, 0, 0],
    [2, 2, 1, 1],
    [1, 1, 2, 2],
  ]);
});

test("prometheusHooks: without a register the metrics are in prom-client's own", async () => {
  onTestFinished(() => globalRegister.clear());
  prometheusHooks().job("created");
  expect(await valuesIn(globalRegister, 'fairbatch_submits_total{outcome="created"}')).toEqual([1]);
});

test("prometheusHooks: a register that was cleared gets new metrics", async () => {
  const register = new Registry();
  prometheusHooks(register).job("created");
  register.clear();
  prometheusHooks(register).job("reused");
  expect(
    await valuesIn(register, 'fairbatch_submits_total{outcome="created"}', 'fairbatch_submits_total{outcome="reused"}'),
  ).toEqual([0, 1]);
});

test("prometheusHooks: a register that has something else under one of the names is refused at once", () => {
  const register = new Registry();
  new Counter({ name: "fairbatch_live_jobs", help: "mine", registers: [register] });
  expect(() => prometheusHooks(register)).toThrow("fairbatch_live_jobs");
});

test("prometheusHooks: a register of the OpenMetrics format is written in that", async () => {
  const register = new Registry<OpenMetricsContentType>();
  register.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  prometheusHooks(register);
  prometheusHooks(register).job("done");
  const text = await register.metrics();
  expect([
    text.split("\n").filter((line) => line.startsWith("fairbatch_jobs_total")),
    text.endsWith("# EOF\n"),
  ]).toEqual([
    [
      'fairbatch_jobs_total{outcome="done"} 1',
      'fairbatch_jobs_total{outcome="partial"} 0',
      'fairbatch_jobs_total{outcome="failed"} 0',
      'fairbatch_jobs_total{outcome="cancelled"} 0',
    ],
    true,
  ]);
});

test("prometheusHooks: hooks of one's own stand beside them, which are plain functions", async () => {
  const register = new Registry();
  const metrics = prometheusHooks(register);
  const mine = recordHooks();
  const hooks: Hooks = {
    ...metrics,
    target(...told) {
      metrics.target(...told);
      mine.hooks.target(...told);
    },
  };
  const held = heldFetch();
  const { runner, submit } = await startRunner({ fetch: held.fetch, hooks });
  await submit("ann", "a");
  (await held.next()).fail(new TargetError("gone", { status: 410 }));
  await runner.idle();
  const counted = await valuesIn(
    register,
    'fairbatch_targets_total{outcome="failed",status_class="4xx"}',
    'fairbatch_jobs_total{outcome="failed"}',
    "fairbatch_live_jobs",
  );
  expect([counted, mine.lines]).toEqual([[1, 1, 0], ["target gone"]]);
});
