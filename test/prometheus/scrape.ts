import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";

/** What a scrape says of one metric: its samples by name and labels, as they stand in the text. */
export interface Scraped {
  help: string;
  type: string;
  samples: Record<string, number>;
}

/** Serves the registry as a service would, and reads it once over HTTP. */
export async function scrape(
  register: Registry,
): Promise<{ contentType: string | null; metrics: Record<string, Scraped> }> {
  const server = createServer(async (_request, response) => {
    response.setHeader("content-type", register.contentType);
    response.end(await register.metrics());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
    return { contentType: response.headers.get("content-type"), metrics: parsed(await response.text()) };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Prometheus' text format, version 0.0.4, of which every line has to be one that is known. */
function parsed(text: string): Record<string, Scraped> {
  const metrics: Record<string, Scraped> = {};
  let metric: Scraped | undefined;
  for (const line of text.split("\n").filter((line) => line !== "")) {
    const [, help, type] = /^# HELP (\w+ .+)$|^# TYPE (\w+ \w+)$/.exec(line) ?? [];
    const [, name, labels = "", value] = /^(\w+)(\{(?:\w+="[^"]*",?)+\})? (\S+)$/.exec(line) ?? [];
    if (help !== undefined) {
      metric = { help: help.slice(help.indexOf(" ") + 1), type: "", samples: {} };
      metrics[help.slice(0, help.indexOf(" "))] = metric;
    } else if (type !== undefined && metric !== undefined) metric.type = type.slice(type.indexOf(" ") + 1);
    else if (name !== undefined && metric !== undefined) metric.samples[name + labels] = Number(value);
    else throw new Error(`not a line of the text format: ${line}`);
  }
  return metrics;
}

/** The samples of all metrics, but for buckets. */
export function samplesOf(metrics: Record<string, Scraped>): Record<string, number> {
  const samples = Object.values(metrics).flatMap((metric) => Object.entries(metric.samples));
  return Object.fromEntries(samples.filter(([name]) => !name.includes("_bucket")));
}

/** The buckets of a histogram, each with what it holds beyond the one before. */
export function bucketsOf({ samples }: Scraped): Record<string, number> {
  const buckets: Record<string, number> = {};
  let before = 0;
  for (const [name, count] of Object.entries(samples)) {
    const edge = /_bucket\{le="(.*)"\}$/.exec(name)?.[1];
    if (edge === undefined) continue;
    if (count > before) buckets[edge] = count - before;
    before = count;
  }
  return buckets;
}
