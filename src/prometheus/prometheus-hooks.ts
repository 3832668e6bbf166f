import { type Gauge, register as globalRegister } from "prom-client";
import type { Hooks } from "../runner/batch-runner.js";
import { type AnyRegistry, metricsOf } from "./metrics.js";
import { statusClassOf } from "./status-class.js";

/**
 * Hooks that count one runner's work into metrics of prom-client, by default in its global registry. Runners with the same
 * registry share the metrics: counts add up, and so do the gauges. No label holds a URL, a host or a caller.
 */
export function prometheusHooks(register: AnyRegistry = globalRegister): Required<Hooks> {
  const { submits, ends, targets, targetSeconds, jobSeconds, resultBytes, live, inflight } = metricsOf(register);
  return {
    job(outcome) {
      (outcome === "created" || outcome === "reused" ? submits : ends).inc({ outcome });
    },
    target(error, durationMs, bytes) {
      const outcome = error === undefined ? "done" : "failed";
      targets.inc({ outcome, status_class: statusClassOf(error) });
      targetSeconds.observe(durationMs / 1000);
      if (outcome === "done") resultBytes.observe(bytes);
    },
    jobSeconds(seconds) {
      jobSeconds.observe(seconds);
    },
    depth: shareOf(live),
    inflight: shareOf(inflight),
  };
}

/** What one runner adds to a gauge that others add to as well. */
function shareOf(gauge: Gauge): (count: number) => void {
  let share = 0;
  return (count) => {
    gauge.inc(count - share);
    share = count;
  };
}
