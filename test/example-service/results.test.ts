import { once } from "node:events";
import { request } from "node:http";
import { expect, test } from "vitest";
import { untilTerminal } from "../../src/testing/index.js";
import { collect } from "../support/collect.js";
import { startRunner } from "../support/runner.js";
import { serveRunner } from "./served-runner.js";
import { call, keyOf, open, startExample } from "./service-under-test.js";

test("results are a JSON line a target in index order, as they stand now", async () => {
  const { service, site, submit, as } = await startExample();
  site.page("/held", () => {});
  const id = await submit("alice", "/a", "/held", "/c");
  await site.wasAsked("/held");
  const response = await open(service.port, "GET", `/v1/batch/${id}/results`, { key: keyOf("alice") });
  const lines = (await response.text()).split("\n").map((line) => (line === "" ? line : JSON.parse(line)));
  const { body } = await as("alice", "GET", `/v1/batch/${id}`);
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  expect(lines).toEqual([...(body.targets as object[]), ""]);
  expect(lines.slice(0, 3).map(({ status }) => status)).toEqual(["done", "running", "pending"]);
});

const TARGETS = 600;
const CONTENT = "x".repeat(64 * 1024);

test("results are read from the store no faster than the client takes them", async () => {
  const fetch = () => ({ content: CONTENT });
  const { runner, submit } = await startRunner({ fetch, targetsPerJob: TARGETS });
  const id = await submit("alice", ...Array.from({ length: TARGETS }, (_, index) => `u:${index}`));
  await untilTerminal(runner, id);
  let read = 0;
  const port = await serveRunner(runner, {
    async *results(of) {
      for await (const target of runner.results(of)) {
        read++;
        yield target as never;
      }
    },
  });
  const headers = { authorization: `Bearer ${keyOf("alice")}` };
  const asking = request({ port, host: "127.0.0.1", path: `/v1/batch/${id}/results`, headers, agent: false }).end();
  const [response] = await once(asking, "response");
  await once(response, "readable");

  // Until so many other calls in a row were answered without another target being read.
  for (let seen = -1, still = 0; still < 20; ) {
    still = read === seen ? still + 1 : 0;
    seen = read;
    await call(port, "GET", "/healthz");
  }
  expect(read).toBeLessThan(TARGETS);
  const text = Buffer.concat(await collect(response as AsyncIterable<Buffer>)).toString();
  expect([read, text.split("\n").length - 1]).toEqual([TARGETS, TARGETS]);
}, 120_000);

test("a store that fails midway breaks the answer off, so that nobody takes it for whole", async () => {
  const { runner, submit } = await startRunner({ fetch: () => ({ content: CONTENT }) });
  const id = await submit("alice", "u:1", "u:2");
  await untilTerminal(runner, id);
  const port = await serveRunner(runner, {
    async *results(of) {
      for await (const target of runner.results(of)) {
        if (target.index === 1) throw new Error("SQLITE_IOERR");
        yield target as never;
      }
    },
  });
  const response = await open(port, "GET", `/v1/batch/${id}/results`, { key: keyOf("alice") });
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("terminated");
});
