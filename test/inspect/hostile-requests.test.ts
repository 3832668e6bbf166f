import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { inspectorServer } from "../../src/inspect/inspector-server.js";
import type { Feed } from "../../src/inspect/viewers.js";

const PAGE = "<!doctype html><title>Inspector</title>";
const SILENT: Feed = {
  watch: () => {},
  hello: () => ({ source: "store", machines: {}, nowMs: 0 }),
  update: () => ({ nowMs: 0 }),
};

/** A server over a page of two files, with a link to one that is none of its own. */
async function openServer(host = "127.0.0.1") {
  const folder = mkdtempSync(join(tmpdir(), "fairbatch-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "index.html"), PAGE);
  writeFileSync(join(folder, "page.js"), "let a;");
  writeFileSync(join(folder, "notes.sqlite"), "secret");
  symlinkSync(join(folder, "notes.sqlite"), join(folder, "link.txt"));
  const pageFolder = pathToFileURL(`${folder}/`);
  const asked: [string, number][] = [];
  const targets = async (jobId: string, afterIndex: number) => {
    asked.push([jobId, afterIndex]);
    if (jobId === "broken") throw new Error("cannot read https://secret.example/");
    return { targets: [], more: false };
  };
  const server = inspectorServer({ host, port: 0, feed: SILENT, pageFolder, targets });
  onTestFinished(() => server.close());
  const url = new URL(await server.listen());
  return { server, url, port: Number(url.port), token: url.pathname.split("/")[1]!, asked };
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

async function ask(port: number, path: string, options: { method?: string; host?: string } = {}): Promise<Answer> {
  const { method = "GET", host = `localhost:${port}` } = options;
  const sent = request({ port, path, method, agent: false, headers: { host } }).end();
  const [response] = await once(sent, "response");
  let body = "";
  for await (const chunk of response.setEncoding("utf8")) body += chunk;
  return { status: response.statusCode, headers: response.headers, body };
}

test("inspector: the page and its files are served under the token, each with strict headers", async () => {
  const { port, token } = await openServer();
  const answers = [
    await ask(port, `/${token}/`),
    await ask(port, `/${token}/page.js`),
    await ask(port, `/${token}/no`),
  ];
  expect(answers.map(({ status, body, headers }) => [status, body, headers["content-type"]])).toEqual([
    [200, PAGE, "text/html; charset=utf-8"],
    [200, "let a;", "text/javascript; charset=utf-8"],
    [404, "", undefined],
  ]);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self';");
    expect(headers["content-security-policy"]).not.toMatch(/unsafe/);
  }
});

test("inspector: without the whole token there is nothing, whatever else is asked for", async () => {
  const { port, token } = await openServer();
  const other = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  const paths = [
    "/",
    "//",
    `/${token}`,
    `/${token.slice(0, -1)}/`,
    `/${token}A/`,
    `/${other}/`,
    "/stream",
    `/${other}/stream`,
  ];
  const given = [
    ...paths,
    `/x/../${token}/`,
    `//${token}/`,
    `/${token.toUpperCase()}/`,
    `/%2e/${token}/`,
    "/?",
    "/favicon.ico",
  ];
  const answers = await Promise.all(given.map((path) => ask(port, path)));
  expect(answers.map(({ status, body }) => [status, body])).toEqual(given.map(() => [404, ""]));
  expect(token).toMatch(/^[\w-]{32}$/);
});

test("inspector: only the page's own files can be had, by no detour", async () => {
  const { port, token } = await openServer();
  const names = [
    "../package.json",
    "..%2fpackage.json",
    "./page.js",
    "page.js/",
    "notes.sqlite",
    "link.txt",
    "%00",
    "page.js%00",
  ];
  const hostile = [
    ...names,
    "..\\package.json",
    "/etc/passwd",
    "index.html/../page.js",
    "PAGE.JS",
    "__proto__",
    "constructor",
  ];
  const answers = await Promise.all(hostile.map((name) => ask(port, `/${token}/${name}`)));
  expect(answers.map(({ status, body }) => [status, body])).toEqual(hostile.map(() => [404, ""]));
});

test("inspector: a request by another name than ours is refused, as a page would send whose name was made to lead here", async () => {
  const { port, token } = await openServer();
  const statusFor = async (host: string) => (await ask(port, `/${token}/`, { host })).status;
  const hosts = [
    "evil.example",
    `evil.example:${port}`,
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "10.0.0.1",
    "[::2]",
  ];
  expect(await Promise.all(hosts.map(statusFor))).toEqual(hosts.map(() => 403));
  const ours = ["localhost", "LOCALHOST:1", "127.0.0.1", `[::1]:${port}`];
  expect(await Promise.all(ours.map(statusFor))).toEqual(ours.map(() => 200));
});

test("inspector: on every address, any address is a name of ours, and no other name is", async () => {
  const { port, token, url } = await openServer("0.0.0.0");
  const statusFor = async (host: string) => (await ask(port, `/${token}/`, { host })).status;
  expect(url.hostname).toBe("0.0.0.0");
  expect(await Promise.all(["10.0.0.1:80", "[fe80::1]", "localhost", "evil.example"].map(statusFor))).toEqual([
    200, 200, 200, 403,
  ]);
});

test("inspector: nothing but GET is answered", async () => {
  const { port, token, asked } = await openServer();
  const methods = ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE"];
  const answers = await Promise.all(methods.map((method) => ask(port, `/${token}/targets?job=a`, { method })));
  expect(answers.map(({ status, headers }) => [status, headers.allow])).toEqual(methods.map(() => [405, "GET"]));
  expect(asked).toEqual([]);
});

test("inspector: a page of targets is asked for by job and index; a failing store says nothing of why", async () => {
  const { port, token, asked } = await openServer();
  const statusFor = async (query: string) => {
    const { status, body } = await ask(port, `/${token}/targets${query}`);
    return [status, body];
  };
  const page = JSON.stringify({ targets: [], more: false });
  expect(await Promise.all(["?job=a", "?job=b&after=7", "?job=c&after=-1"].map(statusFor))).toEqual([
    [200, page],
    [200, page],
    [200, page],
  ]);
  const bad = ["", "?after=1", "?job=a&after=-2", "?job=a&after=1e3", "?job=a&after=", "?job=a&after=9999999999999999"];
  expect(await Promise.all(bad.map(statusFor))).toEqual(bad.map(() => [400, ""]));
  expect(await statusFor("?job=broken")).toEqual([503, ""]);
  expect(asked.sort()).toEqual([
    ["a", -1],
    ["b", 7],
    ["broken", -1],
    ["c", -1],
  ]);
});

/** What a socket has said once it is closed. */
async function saidBy(socket: Socket): Promise<string> {
  let said = "";
  socket
    .on("error", () => {})
    .on("data", (data) => {
      said += data;
    });
  if (!socket.closed) await once(socket, "close");
  return said;
}

test("inspector: bytes that are no request, or one too large, end their own connection and no other", async () => {
  const { port, token } = await openServer();
  const garbage = [
    "\0\0\0\0\r\n\r\n",
    "GET\r\n\r\n",
    `GET /${token}/ HTTP/1.0\r\n\r\n`,
    `GET /${token}/ HTTP/1.1\r\n\r\n`,
    `GET http://evil.example/${token}/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ];
  const said = await Promise.all(
    garbage.map((bytes) => {
      const socket = connect(port, "127.0.0.1");
      socket.write(bytes);
      return saidBy(socket);
    }),
  );
  expect(said.map((answer) => answer.slice(9, 12))).toEqual(["400", "400", "403", "400", "403", "431"]);
  expect((await ask(port, `/${token}/`)).status).toBe(200);
});

test("inspector: of 1,000 connections that only wait, most are turned away, and after them it answers again", async () => {
  const { port, token } = await openServer();
  const sockets = Array.from({ length: 1_000 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  const closed = sockets.map((socket) => once(socket, "close"));
  await new Promise<void>((resolve) => {
    let gone = 0;
    for (const ending of closed) void ending.then(() => ++gone === 1_000 - 128 && resolve());
  });
  const open = sockets.filter((socket) => !socket.closed);
  expect(open.length).toBe(128);
  for (const socket of open) socket.destroy();
  await Promise.all(closed);
  expect((await ask(port, `/${token}/`)).body).toBe(PAGE);
});

test("inspector: closing ends streams and waiting connections, and nothing is answered any more", async () => {
  const { server, port, token } = await openServer();
  const stream = request({ port, path: `/${token}/stream`, headers: { host: "localhost" } }).end();
  const [response] = await once(stream, "response");
  const ended = once(response.resume(), "end");
  const waiting = connect(port, "127.0.0.1").on("error", () => {});
  await once(waiting, "connect");
  const dropped = once(waiting, "close");
  await Promise.all([server.close(), server.close()]);
  await Promise.all([ended, dropped]);
  await expect(ask(port, `/${token}/`)).rejects.toThrow(/ECONNREFUSED/);
  await expect(server.listen()).rejects.toThrow("the inspector is closed");
  expect(server.url).toBeUndefined();
});
