import type { LookupAddress } from "node:dns";
import { expect, test } from "vitest";
import { pageFetch } from "../../examples/service/pages/fetch-page.js";
import { type HostGate, hostGate, type Resolve } from "../../examples/service/pages/host-gate.js";
import { TestSite } from "../cli/test-site.js";
import { startExample } from "./service-under-test.js";

const PUBLIC: LookupAddress = { address: "93.184.215.14", family: 4 };
const LOOPBACK: LookupAddress = { address: "127.0.0.1", family: 4 };
const MAPPED: LookupAddress = { address: "::ffff:127.0.0.1", family: 6 };

/** A name server that gives each of these answers in turn, and the last one for ever. */
function answering(...answers: LookupAddress[][]): Resolve {
  let asked = 0;
  return (_hostname, _options, callback) => callback(null, answers[Math.min(asked++, answers.length - 1)] ?? []);
}

const REFUSED = { code: "ERR_INVALID_TARGET", message: "host not allowed, at index 1", index: 1 };

test.each([
  "http://127.0.0.1/",
  "http://127.1/",
  "http://0x7f000001/",
  "http://2130706433/",
  "http://017700000001/",
  "http://0/",
  "http://10.0.0.1/",
  "http://169.254.169.254/latest/meta-data",
  "http://[::1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[fd00::1]/",
  "http://[fe80::1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://\u2460\u2461\u2466.0.0.1/",
  "http://localhost/",
])("%s is refused when it is submitted", async (url) => {
  const { as } = await startExample({ ALLOW_PRIVATE_TARGETS: "no" });
  const body = { targets: [{ url: "http://93.184.215.14/" }, { url }] };
  const { status, body: answer } = await as("alice", "POST", "/v1/batch", { body });
  expect([status, answer]).toEqual([400, REFUSED]);
});

test.each([
  ["loopback", [LOOPBACK]],
  ["mapped IPv4", [MAPPED]],
  ["a public and a private address", [PUBLIC, LOOPBACK]],
])("a name that resolves to %s is refused when it is submitted", async (_, addresses) => {
  const { as } = await startExample({ ALLOW_PRIVATE_TARGETS: "no" }, { resolve: answering(addresses) });
  const body = { targets: [{ url: "http://93.184.215.14/" }, { url: "http://inside.test/" }] };
  const { status, body: answer } = await as("alice", "POST", "/v1/batch", { body });
  expect([status, answer]).toEqual([400, REFUSED]);
});

test("a name that is public when submitted and private when dialled is never dialled", async () => {
  const resolve = answering([PUBLIC], [LOOPBACK]);
  const { site, as, untilEnded } = await startExample({ ALLOW_PRIVATE_TARGETS: "no" }, { resolve });
  const url = site.url("/secret").replace("127.0.0.1", "rebound.test");
  const { status, body } = await as("alice", "POST", "/v1/batch", { body: { targets: [{ url }] } });
  expect([status, await untilEnded("alice", body.id as string)]).toEqual([202, "failed"]);
  const read = await as("alice", "GET", `/v1/batch/${body.id}`);
  const hint = "only hosts with public addresses are fetched";
  expect(read.body.targets).toMatchObject([{ error: "host not allowed", hint }]);
  expect(site.asked).toEqual([]);
});

/** Admits the test site by the name site.test; what else is asked is for the gate that admits nothing private. */
function gateWithDoor(): HostGate {
  const strict = hostGate(false, (hostname, options, callback) => {
    if (hostname === "inside.test") callback(null, [LOOPBACK]);
    else callback(Object.assign(new Error(`no ${hostname} ${options.family}`), { code: "ENOTFOUND" }), []);
  });
  const door = hostGate(true, (_hostname, _options, callback) => callback(null, [LOOPBACK]));
  return {
    ...strict,
    lookup: (hostname, options, callback) =>
      (hostname === "site.test" ? door : strict).lookup(hostname, options, callback),
  };
}

test.each(["127.0.0.1", "inside.test", "[::ffff:127.0.0.1]", "[::1]", "127.1"])(
  "a redirect to %s is not followed",
  async (host) => {
    const site = await TestSite.start();
    const { port } = new URL(site.url("/"));
    site.page("/hop", (response) => response.writeHead(302, { location: `http://${host}:${port}/secret` }).end());
    const signal = new AbortController().signal;
    const context = { caller: { name: "alice" }, signal, jobId: "1", index: 0, attempt: 1 };
    const fetched = pageFetch(gateWithDoor(), 1_000)({ url: `http://site.test:${port}/hop` }, context);
    await expect(fetched).rejects.toThrow("host not allowed");
    expect(site.asked).toEqual(["/hop"]);
    site.close();
  },
);

test("a name that does not resolve when it is submitted is accepted, and its target fails", async () => {
  const resolve: Resolve = (_hostname, _options, callback) =>
    callback(Object.assign(new Error("getaddrinfo ENOTFOUND gone.test"), { code: "ENOTFOUND" }), []);
  const { as, untilEnded } = await startExample({ ALLOW_PRIVATE_TARGETS: "no" }, { resolve });
  const { body } = await as("alice", "POST", "/v1/batch", { body: { targets: [{ url: "http://gone.test/" }] } });
  expect(await untilEnded("alice", body.id as string)).toBe("failed");
  const read = await as("alice", "GET", `/v1/batch/${body.id}`);
  expect(read.body.targets).toMatchObject([{ error: "request failed (ENOTFOUND)" }]);
});

test("each host of a batch is looked up once when it is submitted, and none of a batch that is too long", async () => {
  const asked: string[] = [];
  const resolve: Resolve = (hostname, _options, callback) => {
    asked.push(hostname);
    callback(null, [LOOPBACK]);
  };
  const { as } = await startExample({ ALLOW_PRIVATE_TARGETS: "no", TARGETS_PER_JOB: "3" }, { resolve });
  const post = (...hosts: string[]) =>
    as("alice", "POST", "/v1/batch", { body: { targets: hosts.map((host) => ({ url: `http://${host}/` })) } });
  expect((await post("a.test", "b.test", "a.test")).status).toBe(400);
  expect((await post("c.test", "c.test", "c.test", "c.test")).status).toBe(413);
  expect(asked).toEqual(["a.test", "b.test"]);
});
