import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { createLog } from "../../examples/service/log.js";
import { openRaw } from "../support/stores.js";
import { call, keyOf, open, startExample } from "./service-under-test.js";

/** Words of which none may be in a log line: of URLs, hosts, keys, callers, contents and errors. */
const SECRETS = /hidden|alice|bob|127\.0\.0\.1|localhost|http:|Bearer|key-of/i;

test("R8: no log line at any level holds a URL, a host, a key, a caller or an error's text", async () => {
  const { service, site, as, submit, untilEnded, log } = await startExample();
  site.page("/hidden-missing", (response) => response.writeHead(404, "hidden reason").end());
  site.page("/hidden-broken", (response) => response.destroy());
  const id = await submit("alice", "/hidden-page", "/hidden-missing", "/hidden-broken");
  await untilEnded("alice", id);
  const path = `/v1/batch/${id}`;
  for (const at of [path, `${path}?cursor=hidden`, `${path}/results`, "/v1/batch/hidden", "/hidden", "/%zz-hidden"]) {
    await as("alice", "GET", at);
  }
  await as("bob", "DELETE", path);
  await as("alice", "POST", "/v1/batch", { body: "{ hidden" });
  await as("alice", "POST", "/v1/batch", { body: { targets: [{ url: "hidden://hidden" }], hidden: 1 } });
  await call(service.port, "GET", path, { key: "hidden-key" });
  // A request that is no HTTP, and one whose client leaves in the middle of the answer.
  const socket = connect(service.port, "127.0.0.1", () => socket.write("hidden hidden\r\n\r\n"));
  await once(socket.resume(), "close");
  site.page("/hidden-held", () => {});
  const held = await submit("alice", "/hidden-held");
  const events = await open(service.port, "GET", `/v1/batch/${held}/events`, { key: keyOf("alice") });
  await events.body?.cancel();

  const lines = log.map((line) => JSON.parse(line));
  expect(lines.filter(({ msg }) => msg === "answered").map(({ route, status }) => `${status} ${route}`)).toEqual(
    expect.arrayContaining([
      "202 /v1/batch",
      "200 /v1/batch/:id",
      "400 /v1/batch/:id",
      "404 /v1/batch/:id",
      "401 /v1/batch/:id",
      "200 /v1/batch/:id/results",
      "200 /v1/batch/:id/events",
    ]),
  );
  expect(log.filter((line) => SECRETS.test(line))).toEqual([]);
});

test("R8: whoever logs a request, an answer or an error, only what can be no secret is written", () => {
  const written: string[] = [];
  const log = createLog("trace", { write: (line) => void written.push(line) });
  const req = { id: "req-1", method: "GET", url: "/hidden", headers: { authorization: "hidden" } };
  const err = Object.assign(new Error("hidden"), { code: "ECONNRESET", rawPacket: "hidden" });
  log.info({ req, res: { statusCode: 200, headers: "hidden" }, err }, "all of it");
  expect(written.map((line) => JSON.parse(line))).toEqual([
    {
      level: 30,
      time: expect.any(Number),
      req: { id: "req-1", method: "GET" },
      res: { statusCode: 200 },
      err: { code: "ECONNRESET" },
      msg: "all of it",
    },
  ]);
});

test("R8: what goes wrong inside is a 500 without a reason, and a log line with its code alone", async () => {
  const { service, log, storePath, as, submit } = await startExample();
  const id = await submit("alice", "/a");
  openRaw(storePath).exec("alter table batch_target rename to hidden");
  const { status, body } = await as("alice", "GET", `/v1/batch/${id}`);
  expect([status, body]).toEqual([500, { code: "ERR_INTERNAL", message: "internal error" }]);
  const failed = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request failed");
  expect(failed).toEqual([
    { level: 50, time: expect.any(Number), reqId: expect.any(String), code: "SQLITE_ERROR", msg: "request failed" },
  ]);
  expect(log.filter((line) => SECRETS.test(line))).toEqual([]);
  expect((await call(service.port, "GET", "/healthz")).status).toBe(200);
});
