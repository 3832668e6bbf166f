import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { STATUS_CLASSES } from "./status-class.js";

/** A registry of either of the text formats. */
export type AnyRegistry =
  | Registry<typeof Registry.PROMETHEUS_CONTENT_TYPE>
  | Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>;

const MS_TO_MINUTES = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const SECONDS_TO_HOURS = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 28_800];
const BYTES_TO_64_MIB = [256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

/** The metrics of a registry, which all runners that count into it share. Every series that may come is there from the start. */
export function metricsOf(register: AnyRegistry) {
  const outcome: "outcome"[] = ["outcome"];
  return {
    submits: counter(register, "fairbatch_submits_total", "Submits accepted: a job created, or one reused.", outcome, [
      { outcome: "created" },
      { outcome: "reused" },
    ]),
    ends: counter(register, "fairbatch_jobs_total", "Jobs that ended, by how.", outcome, [
      { outcome: "done" },
      { outcome: "partial" },
      { outcome: "failed" },
      { outcome: "cancelled" },
    ]),
    targets: counter(
      register,
      "fairbatch_targets_total",
      "Targets stored, by outcome and by the class of the HTTP status that a failed one carries.",
      ["outcome", "status_class"],
      [
        { outcome: "done", status_class: "none" },
        ...STATUS_CLASSES.map((status_class) => ({ outcome: "failed", status_class })),
      ],
    ),
    targetSeconds: histogram(
      register,
      "fairbatch_target_duration_seconds",
      "How long the last fetch of a stored target took.",
      MS_TO_MINUTES,
    ),
    jobSeconds: histogram(
      register,
      "fairbatch_job_duration_seconds",
      "From submit to end, of jobs that were not cancelled.",
      SECONDS_TO_HOURS,
    ),
    resultBytes: histogram(register, "fairbatch_result_size_bytes", "The JSON of each result.", BYTES_TO_64_MIB),
    live: gauge(register, "fairbatch_live_jobs", "Jobs that are queued or running."),
    inflight: gauge(register, "fairbatch_inflight_targets", "Targets that are being fetched."),
  };
}

function counter<T extends string>(
  register: AnyRegistry,
  name: string,
  help: string,
  labelNames: T[],
  series: Record<T, string>[],
): Counter<T> {
  const known: unknown = register.getSingleMetric(name);
  if (known instanceof Counter) return known;
  const made = new Counter({ name, help, labelNames, registers: [register] });
  for (const labels of series) made.inc(labels, 0);
  return made;
}

function histogram(register: AnyRegistry, name: string, help: string, buckets: number[]): Histogram {
  const known: unknown = register.getSingleMetric(name);
  return known instanceof Histogram ? known : new Histogram({ name, help, buckets, registers: [register] });
}

function gauge(register: AnyRegistry, name: string, help: string): Gauge {
  const known: unknown = register.getSingleMetric(name);
  return known instanceof Gauge ? known : new Gauge({ name, help, registers: [register] });
}
