import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pageFetch } from "../../examples/service/pages/fetch-page.js";
import { hostGate } from "../../examples/service/pages/host-gate.js";
import { retryAfterMs } from "../../examples/service/pages/retry-after.js";
import type { RetryLaterError } from "../../src/index.js";
import { TestSite } from "../cli/test-site.js";

const MOST = 20;
const gate = hostGate(true, (_hostname, _options, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]));

let site: TestSite;
beforeEach(async () => {
  site = await TestSite.start();
});
afterEach(() => site.close());

function get(url: string, signal = new AbortController().signal) {
  const context = { caller: { name: "alice" }, signal, jobId: "1", index: 0, attempt: 1 };
  return Promise.resolve(pageFetch(gate, MOST)({ url }, context));
}

async function failureOf(path: string): Promise<unknown> {
  const { name, message, status, afterMs } = await get(site.url(path)).then(
    () => ({ name: "none", message: "", status: undefined, afterMs: undefined }),
    (error) => error as RetryLaterError & { status?: number },
  );
  return { name, message, status, afterMs };
}

test("a page of as many bytes as may be is read, in the charset that it names", async () => {
  site.page("/full", (response) => response.end("x".repeat(MOST)));
  site.page("/latin", (response) =>
    response.writeHead(200, { "content-type": "text/plain; charset=iso-8859-1" }).end(Buffer.from([0xe9])),
  );
  site.page("/odd", (response) => response.writeHead(200, { "content-type": "text/plain; charset=odd" }).end("é"));
  const contents = await Promise.all(["/full", "/latin", "/odd"].map((path) => get(site.url(path))));
  expect(contents.map(({ content }) => content)).toEqual(["x".repeat(MOST), "é", "é"]);
});

test("redirects are followed, relative ones too, and the last URL is told", async () => {
  site.page("/1", (response) => response.writeHead(301, { location: "/2" }).end());
  site.page("/2", (response) => response.writeHead(307, { location: site.url("/3") }).end());
  const { content, meta } = await get(site.url("/1"));
  expect([content, meta?.finalUrl]).toEqual(["page /3", site.url("/3")]);
});

test("redirects in a circle end", async () => {
  site.page("/again", (response) => response.writeHead(302, { location: "/again" }).end());
  expect(await failureOf("/again")).toMatchObject({ name: "TargetError", message: "too many redirects" });
  expect(site.asked).toHaveLength(6);
});

test.each([
  ["file:///etc/passwd", "not an http or https URL"],
  ["//user:secret@a.test/", "a URL with a login in it"],
  ["http://", "not a valid URL"],
])("a redirect to %s is not followed", async (location, message) => {
  site.page("/hop", (response) => response.writeHead(302, { location }).end());
  expect(await failureOf("/hop")).toMatchObject({ name: "TargetError", message });
});

test("an answer that is larger than may be fails, and the rest of it is never taken", async () => {
  let closed = () => {};
  const over = new Promise<void>((resolve) => {
    closed = resolve;
  });
  site.page("/endless", (response) => {
    response.on("close", closed);
    response.write("x".repeat(MOST + 1));
  });
  expect(await failureOf("/endless")).toMatchObject({ name: "TargetError", message: "answer too large" });
  await over;
});

test("a compressed answer, which may be any size, is not unpacked", async () => {
  site.page("/gz", (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x")));
  expect(await failureOf("/gz")).toMatchObject({ name: "TargetError", message: "answer is compressed" });
});

test.each([404, 500, 304, 302])("HTTP %d fails with its status", async (status) => {
  site.page("/", (response) => response.writeHead(status).end());
  expect(await failureOf("/")).toEqual({ name: "TargetError", message: `HTTP ${status}`, status, afterMs: undefined });
});

test.each([
  [429, "7", 7_000],
  [503, "0", 1_000],
  [503, undefined, undefined],
])("HTTP %d with Retry-After %s is tried again later", async (status, header, afterMs) => {
  site.page("/", (response) => response.writeHead(status, header === undefined ? {} : { "retry-after": header }).end());
  const message = `HTTP ${status} at every try`;
  expect(await failureOf("/")).toEqual({ name: "RetryLaterError", message, status: undefined, afterMs });
});

test.each([
  ["Thu, 01 Jan 1970 00:01:00 GMT", 60_000 - 5_000],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 1_000],
  ["tomorrow", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  [undefined, undefined],
])("Retry-After %s", (header, waitMs) => {
  expect(retryAfterMs(header, 5_000)).toBe(waitMs);
});

test("what the network says is told by its code, without host or address", async () => {
  site.page("/broken", (response) => response.destroy());
  site.page("/cut", (response) => {
    response.writeHead(200, { "content-length": "9" }).write("x");
    setImmediate(() => response.destroy());
  });
  expect(await failureOf("/broken")).toMatchObject({ name: "TargetError", message: "request failed (ECONNRESET)" });
  expect(await failureOf("/cut")).toMatchObject({ name: "TargetError", message: "request failed (ECONNRESET)" });
  await expect(get("http://127.0.0.1:1/")).rejects.toThrow(/^request failed \(ECONNREFUSED\)$/);
});

test("an https URL is asked over TLS", async () => {
  await expect(get(site.url("/").replace("http:", "https:"))).rejects.toThrow(
    /^request failed \((EPROTO|ERR_SSL_\w+)\)$/,
  );
  expect(site.asked).toEqual([]);
});

test("an abort ends a page that is silent and one that is being read", async () => {
  site.page("/silent", () => {});
  site.page("/begun", (response) => response.write("x"));
  for (const path of ["/silent", "/begun"]) {
    const controller = new AbortController();
    const fetched = get(site.url(path), controller.signal);
    await site.wasAsked(path);
    controller.abort();
    await expect(fetched).rejects.toThrow(/abort/);
  }
});
