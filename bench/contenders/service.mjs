// The example service under many clients: each submits, polls and cancels until the time is over. Nothing may fail, and every job
// that was accepted must end and be counted.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { contend } from "../support/contend.mjs";
import { LoadClient } from "../support/load-client.mjs";
import { startPages } from "../support/load-pages.mjs";
import { startService } from "../support/service-process.mjs";

await contend(async ({ folder, clients, seconds }) => {
  const pages = await startPages();
  const service = await startService(folder, clients);
  const crowd = Array.from({ length: clients }, (_, number) => new LoadClient(number, service, pages));
  const beganMs = performance.now();
  const untilMs = beganMs + seconds * 1000;
  await Promise.all(crowd.map((client) => client.workUntil(untilMs)));
  const tookSeconds = (performance.now() - beganMs) / 1000;
  const took = (kind) => crowd.flatMap((client) => client.took[kind]);
  const answered = took("submit").length + took("status").length + took("cancel").length;

  await nothingInFlight(service);
  const jobs = (await Promise.all(crowd.map((client) => client.readAll()))).flat();
  const ends = countBy(jobs.map(({ job }) => job?.status ?? "lost"));
  const errors = crowd.flatMap((client) => client.errors);
  assert.deepEqual(errors, []);
  checkEnds(jobs);
  await checkMetrics(await service.metrics(), jobs, ends);
  assert.equal(await service.end(), 0);
  pages.close();
  return {
    accepted: jobs.length,
    targets: sum(jobs.map(({ job }) => job.targetsDone)),
    answered,
    ends,
    errors: errors.length,
    lost: ends.lost ?? 0,
    requests: answered / tookSeconds,
    jobs: jobs.length / tookSeconds,
    statusP50: percentile(took("status"), 0.5),
    statusP99: percentile(took("status"), 0.99),
    submitP99: percentile(took("submit"), 0.99),
    cancelP99: percentile(took("cancel"), 0.99),
  };
});

/** A job that was cancelled has ended for its client before its last page is stored. */
async function nothingInFlight(service) {
  while ((await service.metrics()).get("fairbatch_inflight_targets") > 0) await pause(50);
}

/** As each owner reads it at the end: ended, whole unless it was cancelled, with as many failures as it had missing pages. */
function checkEnds(jobs) {
  for (const { id, job, targets, missing, wasCancelled } of jobs) {
    assert.ok(job, `job ${id} is lost`);
    assert.equal(job.targetsTotal, targets);
    if (wasCancelled) {
      assert.equal(job.status, "cancelled");
    } else {
      const whole = missing === 0 ? "done" : missing === targets ? "failed" : "partial";
      assert.deepEqual([job.status, job.targetsDone, job.targetsFailed], [whole, targets, missing]);
    }
  }
}

/** What the service counted is what its clients saw. */
function checkMetrics(metrics, jobs, ends) {
  const count = (name, labels = "") => metrics.get(`fairbatch_${name}${labels}`);
  assert.equal(count("submits_total", '{outcome="created"}'), jobs.length);
  for (const outcome of ["done", "partial", "failed", "cancelled"]) {
    assert.equal(count("jobs_total", `{outcome="${outcome}"}`), ends[outcome] ?? 0, outcome);
  }
  assert.equal(count("live_jobs"), 0);
  assert.equal(count("inflight_targets"), 0);
  const done = sum(jobs.map(({ job }) => job.targetsDone - job.targetsFailed));
  const failed = sum(jobs.map(({ job }) => job.targetsFailed));
  assert.equal(count("targets_total", '{outcome="done",status_class="none"}'), done);
  assert.equal(count("targets_total", '{outcome="failed",status_class="4xx"}'), failed);
}

function countBy(words) {
  const counts = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
