import { expect, test } from "vitest";
import { batchOf, call, keyOf, startExample } from "./service-under-test.js";

test("a new batch is 202 with its id, the same targets are 200 with the same id", async () => {
  const { site, as } = await startExample();
  const body = batchOf(site, "/a", "/b");
  const first = await as("alice", "POST", "/v1/batch", { body });
  const again = await as("alice", "POST", "/v1/batch", { body });
  const { id } = first.body;
  expect([first.status, first.body]).toEqual([202, { id: expect.stringMatching(/^[0-9a-f]{32}$/), reused: false }]);
  expect([again.status, again.body]).toEqual([200, { id, reused: true }]);
});

test("an Idempotency-Key stands in the place of the targets", async () => {
  const { site, as } = await startExample();
  const headers = { "idempotency-key": "monday" };
  const first = await as("alice", "POST", "/v1/batch", { headers, body: batchOf(site, "/a") });
  const again = await as("alice", "POST", "/v1/batch", { headers, body: batchOf(site, "/other") });
  expect([again.status, again.body]).toEqual([200, { id: first.body.id, reused: true }]);
});

test("options come back as they were given", async () => {
  const { site, as } = await startExample();
  const targets = [{ url: site.url("/a"), options: { mode: "plain", deep: { list: [1, null] } } }];
  const { body } = await as("alice", "POST", "/v1/batch", { body: { targets } });
  const read = await as("alice", "GET", `/v1/batch/${body.id}`);
  expect(read.body.targets).toMatchObject(targets);
});

const INVALID = "ERR_INVALID_TARGET";
test.each([
  ["no targets", { targets: [] }, { code: "ERR_NO_TARGETS", message: "no targets" }],
  ["no list", {}, { code: "ERR_INVALID_REQUEST", message: "invalid request" }],
  ["an unknown field", { targets: [], more: 1 }, { code: "ERR_INVALID_REQUEST", message: "invalid request at /more" }],
  [
    "a URL that is a number",
    { targets: [{ url: "http://a.test" }, { url: 5 }] },
    { code: INVALID, message: "invalid target at index 1", index: 1 },
  ],
  [
    "options that are no object",
    { targets: [{ url: "http://a.test", options: [] }] },
    { code: INVALID, message: "invalid target at index 0", index: 0 },
  ],
  [
    "a lone surrogate",
    { targets: [{ url: "http://127.0.0.1/\ud800" }] },
    { code: INVALID, message: expect.stringContaining("invalid target at index 0"), index: 0 },
  ],
  ["no URL", { targets: [{ url: "here" }] }, { code: INVALID, message: "not a valid URL, at index 0", index: 0 }],
  [
    "another scheme",
    { targets: [{ url: "file:///etc/passwd" }] },
    { code: INVALID, message: "not an http or https URL, at index 0", index: 0 },
  ],
  [
    "a login",
    { targets: [{ url: "http://me:secret@a.test/" }] },
    { code: INVALID, message: "a URL with a login in it, at index 0", index: 0 },
  ],
])("%s is 400", async (_, body, answer) => {
  const { as } = await startExample();
  const refused = await as("alice", "POST", "/v1/batch", { body });
  expect([refused.status, refused.body]).toEqual([400, answer]);
});

test("a body that is no JSON is 400, one of another type 415, one that is too large 413", async () => {
  const { as } = await startExample({ MAX_REQUEST_BYTES: "100" });
  const post = async (body: string, headers = {}) => {
    const { status, body: answer } = await as("alice", "POST", "/v1/batch", { body, headers });
    return [status, answer.code];
  };
  expect(await post("{")).toEqual([400, "ERR_INVALID_REQUEST"]);
  expect(await post("<a/>", { "content-type": "text/xml" })).toEqual([415, "ERR_INVALID_REQUEST"]);
  expect(await post(`{"targets":[],"x":"${"y".repeat(100)}"}`)).toEqual([413, "ERR_BODY_TOO_LARGE"]);
});

test("more targets than a job may have are 413", async () => {
  const { site, as } = await startExample({ TARGETS_PER_JOB: "2" });
  const { status, body } = await as("alice", "POST", "/v1/batch", { body: batchOf(site, "/1", "/2", "/3") });
  expect([status, body]).toEqual([
    413,
    { code: "ERR_TOO_MANY_TARGETS", message: "too many targets", limit: 2, count: 3 },
  ]);
});

test("a caller at its cap is 429, a service at its own 503, and both say when to come again", async () => {
  const { site, as, submit } = await startExample({ JOBS_PER_CALLER: "1", JOBS_TOTAL: "1" });
  site.page("/held", () => {});
  await submit("alice", "/held");
  const own = await as("alice", "POST", "/v1/batch", { body: batchOf(site, "/a") });
  const other = await as("bob", "POST", "/v1/batch", { body: batchOf(site, "/a") });
  const seen = [own, other].map(({ status, headers, body }) => [status, headers.get("retry-after"), body.code]);
  expect(seen).toEqual([
    [429, "2", "ERR_CALLER_BUSY"],
    [503, "2", "ERR_BUSY"],
  ]);
});

test.each([
  ["no key", {}],
  ["an unknown key", { authorization: "Bearer nobody" }],
  ["a caller's name", { authorization: "Bearer alice" }],
  ["another scheme", { authorization: `Basic ${keyOf("alice")}` }],
  ["an empty key", { authorization: "Bearer " }],
])("%s is 401 on every route of callers, before the body is looked at", async (_, headers) => {
  const { service } = await startExample();
  const routes = [
    ["POST", "/v1/batch"],
    ["GET", "/v1/batch/1"],
    ["GET", "/v1/batch/1/events"],
    ["GET", "/v1/batch/1/results"],
    ["DELETE", "/v1/batch/1"],
  ] as const;
  for (const [method, path] of routes) {
    const answer = await call(service.port, method, path, { headers, ...(method === "POST" ? { body: "{" } : {}) });
    expect([answer.status, answer.headers.get("www-authenticate"), answer.body.code]).toEqual([
      401,
      "Bearer",
      "ERR_UNAUTHORIZED",
    ]);
  }
});
