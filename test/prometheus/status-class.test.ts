import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { TargetError } from "../../src/index.js";
import { prometheusHooks } from "../../src/prometheus/index.js";
import { samplesOf, scrape } from "./scrape.js";

const CLASSES = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"];

/** Which class a target that ended so is counted in, where nothing but the labels that are known may be there. */
async function classCounted(thrown: unknown): Promise<string[]> {
  const register = new Registry();
  const { target } = prometheusHooks(register);
  const known = Object.keys(samplesOf((await scrape(register)).metrics));
  target(thrown, 1, 0);
  const { metrics } = await scrape(register);
  expect(Object.keys(samplesOf(metrics))).toEqual(known);
  const counted = metrics.fairbatch_targets_total?.samples ?? {};
  return CLASSES.filter((name) => counted[`fairbatch_targets_total{outcome="failed",status_class="${name}"}`] === 1);
}

const withStatus = (status: unknown) => new TargetError("gone", { status: status as number });
const withGetter = (get: () => unknown) => Object.defineProperty(withStatus(undefined), "status", { get });
const throwing = () => {
  throw new Error("https://secret.example/");
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable(withStatus(404), {});
  revoke();
  return proxy;
};
let reads = 0;

test.each<[string, unknown, string]>([
  ["100", withStatus(100), "1xx"],
  ["204", withStatus(204), "2xx"],
  ["399", withStatus(399), "3xx"],
  ["404", withStatus(404), "4xx"],
  ["599", withStatus(599), "5xx"],
  ["none", withStatus(undefined), "none"],
  ["99", withStatus(99), "none"],
  ["600", withStatus(600), "none"],
  ["0", withStatus(0), "none"],
  ["-404", withStatus(-404), "none"],
  ["404.5", withStatus(404.5), "none"],
  ["1e9", withStatus(1e9), "none"],
  ["NaN", withStatus(Number.NaN), "none"],
  ["Infinity", withStatus(Number.POSITIVE_INFINITY), "none"],
  ["a string", withStatus("404"), "none"],
  ["a bigint", withStatus(404n), "none"],
  ["an object that is 404 as a number", withStatus({ valueOf: () => 404 }), "none"],
  ["a symbol", withStatus(Symbol("404")), "none"],
  ["a getter that throws", withGetter(throwing), "none"],
  ["a getter that answers anew each time", withGetter(() => [404, "https://secret.example/"][reads++]), "4xx"],
  ["a TargetError that is revoked", revoked(), "none"],
  ["another error with a status", Object.assign(new Error("gone"), { status: 404 }), "none"],
  ["no error at all", "https://secret.example/", "none"],
  ["null", null, "none"],
])(
  "prometheusHooks: a failed target whose status is %s counts in one class that is known",
  async (_name, thrown, expected) => {
    expect(await classCounted(thrown)).toEqual([expected]);
  },
);

test("prometheusHooks: the TargetError of another copy of the package has its class too", async () => {
  const foreign = { [Symbol.for("fairbatch.TargetError")]: true, status: 502 };
  expect(await classCounted(foreign)).toEqual(["5xx"]);
});
