import { expect, test } from "vitest";
import { call, startExample } from "./service-under-test.js";

test("metrics count jobs, targets and failures, and name no caller, host or URL", async () => {
  const { service, site, submit, untilEnded } = await startExample();
  site.page("/missing", (response) => response.writeHead(404).end());
  await untilEnded("alice", await submit("alice", "/a", "/missing"));
  const { status, headers, body } = await call(service.port, "GET", "/metrics");
  const text = body.text as string;
  const counts = ["submits_total", "jobs_total", "targets_total", "live_jobs", "inflight_targets"];
  const moved = text.split("\n").filter((line) => counts.some((name) => line.startsWith(`fairbatch_${name}`)));
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  expect(moved.filter((line) => !/^fairbatch_\w+\{.*\} 0$/.test(line)).sort()).toEqual([
    "fairbatch_inflight_targets 0",
    'fairbatch_jobs_total{outcome="partial"} 1',
    "fairbatch_live_jobs 0",
    'fairbatch_submits_total{outcome="created"} 1',
    'fairbatch_targets_total{outcome="done",status_class="none"} 1',
    'fairbatch_targets_total{outcome="failed",status_class="4xx"} 1',
  ]);
  expect(text).not.toMatch(/alice|127\.0\.0\.1|missing/);
});

test("the service is healthy without a key; an unknown path and an unreadable one are told in the service's own form", async () => {
  const { service } = await startExample();
  const seen = async (path: string) => {
    const { status, body } = await call(service.port, "GET", path);
    return [status, body.status ?? body.code];
  };
  expect(await seen("/healthz")).toEqual([200, "ok"]);
  expect(await seen("/nowhere")).toEqual([404, "ERR_NOT_FOUND"]);
  expect(await seen("/v1/nowhere")).toEqual([404, "ERR_NOT_FOUND"]);
  expect(await seen("/v1/batch/%zz")).toEqual([400, "ERR_INVALID_REQUEST"]);
});
