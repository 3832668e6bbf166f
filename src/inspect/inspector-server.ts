import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { allowedHosts, bracketed } from "./allowed-hosts.js";
import { answerFile, answerJson, answerStatus, answerStream } from "./answers.js";
import { type PageFile, pageFolder, readPage } from "./page-files.js";
import type { TargetPage } from "./protocol.js";
import { type Feed, Viewers } from "./viewers.js";

const VIEWERS_MAX = 16;
const CONNECTIONS_MAX = 128;
const STREAM = "stream";
const TARGETS = "targets";

export interface ServerOptions {
  host: string;
  port: number;
  feed: Feed;
  /** Reads a page of a job's targets, where there is a store to read. */
  targets: ((jobId: string, afterIndex: number) => Promise<TargetPage>) | undefined;
  pageFolder?: URL;
}

export interface InspectorServer {
  readonly url: string | undefined;
  listen(): Promise<string>;
  close(): Promise<void>;
}

/** Serves the page and its stream under a path that cannot be guessed. Neither it nor its sockets keep a process alive. */
export function inspectorServer(options: ServerOptions): InspectorServer {
  // An empty one, as of a variable that is not set, would be every address.
  if (typeof options.host !== "string" || options.host.trim() === "")
    throw new TypeError("host must be a name or an address");
  const token = randomBytes(24).toString("base64url");
  const viewers = new Viewers(options.feed, VIEWERS_MAX);
  const isOurHost = allowedHosts(options.host);
  let files: ReadonlyMap<string, PageFile> = new Map();
  let listening: Promise<string> | undefined;
  let closing: Promise<void> | undefined;
  let url: string | undefined;

  const server = createServer({ maxHeaderSize: 8 * 1024, requestTimeout: 10_000 }, (request, response) => {
    if (!isOurHost(request.headers.host)) answerStatus(response, 403);
    else if (request.method !== "GET") answerStatus(response, 405, { allow: "GET" });
    else answer(options, viewers, files, nameWithin(token, request), response);
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.on("connection", (socket) => void socket.unref());
  server.unref();

  return {
    get url() {
      return url;
    },
    listen() {
      if (closing !== undefined) return Promise.reject(new Error("the inspector is closed"));
      listening ??= (async () => {
        files = await readPage(options.pageFolder ?? pageFolder());
        if (closing !== undefined) throw new Error("the inspector is closed");
        const port = await listenOn(server, options);
        url = `http://${bracketed(options.host)}:${port}/${token}/`;
        return url;
      })().catch((error) => {
        listening = undefined;
        throw error;
      });
      return listening;
    },
    close() {
      // Node starts to listen after all where it is closed too early.
      closing ??= Promise.resolve(listening?.catch(() => {})).then(() => {
        url = undefined;
        return closeServer(server, viewers);
      });
      return closing;
    },
  };
}

async function listenOn(server: Server, { host, port }: ServerOptions): Promise<number> {
  server.listen({ host, port });
  await once(server, "listening");
  server.on("error", () => {});
  return (server.address() as AddressInfo).port;
}

async function closeServer(server: Server, viewers: Viewers): Promise<void> {
  viewers.close();
  const closed = new Promise((resolve) => server.close(resolve));
  // Until then, what was written last has not left.
  await nextTurn();
  server.closeAllConnections();
  await closed;
}

interface Wanted {
  name: string;
  query: URLSearchParams;
}

/** What is asked for under the token's path; undefined for any other. */
function nameWithin(token: string, { url = "" }: IncomingMessage): Wanted | undefined {
  const [path = "", query = ""] = url.split("?", 2);
  const [, given = "", name, ...more] = path.split("/");
  const isToken = timingSafeEqual(digest(given), digest(token));
  return isToken && name !== undefined && more.length === 0 ? { name, query: new URLSearchParams(query) } : undefined;
}

/** Of one length whatever is given. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function answer(
  { targets }: ServerOptions,
  viewers: Viewers,
  files: ReadonlyMap<string, PageFile>,
  wanted: Wanted | undefined,
  response: ServerResponse,
): void {
  if (wanted === undefined) answerStatus(response, 404);
  else if (wanted.name === STREAM) answerViewer(viewers, response);
  else if (wanted.name === TARGETS && targets !== undefined) answerTargets(targets, wanted.query, response);
  // No error: a browser would print one wherever somebody chooses a job.
  else if (wanted.name === TARGETS) answerStatus(response, 204);
  else {
    const file = files.get(wanted.name === "" ? "index.html" : wanted.name);
    if (file === undefined) answerStatus(response, 404);
    else answerFile(response, file);
  }
}

function answerViewer(viewers: Viewers, response: ServerResponse): void {
  if (viewers.full) {
    answerStatus(response, 503, { "retry-after": "5" });
    return;
  }
  answerStream(response);
  viewers.add(response);
}

function answerTargets(
  targets: NonNullable<ServerOptions["targets"]>,
  query: URLSearchParams,
  response: ServerResponse,
): void {
  const [jobId, after = "-1"] = [query.get("job"), query.get("after") ?? undefined];
  if (jobId === null || !/^(-1|\d{1,15})$/.test(after)) {
    answerStatus(response, 400);
    return;
  }
  targets(jobId, Number(after)).then(
    (page) => answerJson(response, page),
    () => answerStatus(response, 503, { "retry-after": "1" }),
  );
}
