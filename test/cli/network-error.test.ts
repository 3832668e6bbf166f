import { createServer } from "node:net";
import { expect, test } from "vitest";
import { networkError } from "../../src/cli/network-error.js";
import { TargetError } from "../../src/errors.js";

const fetchFailed = (cause: object) => new TypeError("fetch failed", { cause });

test.each([
  ["ENOTFOUND", "host not found (ENOTFOUND)", /host name/],
  ["ECONNREFUSED", "connection refused (ECONNREFUSED)", /port/],
  ["ECONNRESET", "connection broken off (ECONNRESET)", /again later/],
  ["ETIMEDOUT", "no answer in time (ETIMEDOUT)", /slow or gone/],
  ["CERT_HAS_EXPIRED", "certificate not trusted (CERT_HAS_EXPIRED)", /certificate/],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "certificate not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)", /certificate/],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate not trusted (ERR_TLS_CERT_ALTNAME_INVALID)", /host name/],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)", /certificate/],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "no secure connection (ERR_SSL_WRONG_VERSION_NUMBER)", /https/],
  ["HPE_INVALID_CONSTANT", "answer is not HTTP (HPE_INVALID_CONSTANT)", /port/],
  ["ESOMETHING", "request failed (ESOMETHING)", /again/],
])("%s is told as a person says it", (code, message, hint) => {
  const told = networkError(fetchFailed(Object.assign(new Error(`${code} secret.example`), { code })));
  expect(told).toBeInstanceOf(TargetError);
  expect(told.message).toBe(message);
  expect(told.hint).toMatch(hint);
});

test("what has no code is told by Node's own words", () => {
  expect(networkError(fetchFailed(new Error("redirect count exceeded"))).message).toBe("too many redirects");
  expect(networkError(fetchFailed(new Error("bad port"))).message).toBe("port not allowed");
});

test.each([[undefined], [null], ["text"], [new Error("at http://secret.example/")], [fetchFailed({ code: 20 })]])(
  "anything else is a failed request, and its text stays out",
  (thrown) => {
    expect(networkError(thrown).message).toBe("request failed");
  },
);

test("a refused connection of a real fetch is recognised", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const thrown = await fetch(`http://127.0.0.1:${port}/`).catch((error: unknown) => error);
  expect(networkError(thrown).message).toBe("connection refused (ECONNREFUSED)");
});
