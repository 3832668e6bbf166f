import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { type Caller, type FetchFunc, RetryLaterError, TargetError } from "fairbatch";
import { type HostGate, hostOf, refusedHost } from "./host-gate.js";
import { readPage } from "./page-body.js";
import { readPageUrl } from "./page-url.js";
import { retryAfterMs } from "./retry-after.js";

const MOST_REDIRECTS = 5;
const HEADERS = { "user-agent": "fairbatch-service", accept: "*/*", "accept-encoding": "identity" };

/** The service's fetch: an HTTP GET that follows redirects and asks only hosts that the gate admits, at every step. */
export function pageFetch(gate: HostGate, maxAnswerBytes: number): FetchFunc<Caller, object> {
  return async (target, { signal }) => {
    let url = readPageUrl(target.url);
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const response = await explained(ask(url, gate, signal), signal);
      const next = redirectOf(response, url);
      if (next === undefined) {
        const { content, bytes } = await explained(readPage(accepted(response), maxAnswerBytes), signal);
        const contentType = response.headers["content-type"] ?? "";
        return { content, meta: { status: response.statusCode, contentType, finalUrl: url.href, bytes } };
      }
      url = next;
    }
    throw new TargetError("too many redirects");
  };
}

function ask(url: URL, gate: HostGate, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Node dials an address that stands in the URL without any lookup.
    if (!gate.admitsLiteral(hostOf(url))) throw refusedHost();
    const request = url.protocol === "https:" ? requestHttps : requestHttp;
    // No agent: a connection is never shared with what was not checked, and none outlives its page.
    request(url, { agent: false, lookup: gate.lookup, signal, headers: HEADERS })
      .on("response", resolve)
      .on("error", reject)
      .end();
  });
}

/** Where a redirect leads; undefined for any other answer. */
function redirectOf(response: IncomingMessage, from: URL): URL | undefined {
  const { statusCode = 0, headers } = response;
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined;
  response.destroy();
  return readPageUrl(headers.location, from);
}

/** Only a success is read; busy servers are asked again when they say. */
function accepted(response: IncomingMessage): IncomingMessage {
  const { statusCode: status = 0, headers } = response;
  if (status >= 200 && status < 300) return response;
  response.destroy();
  if (status !== 429 && status !== 503) throw new TargetError(`HTTP ${status}`, { status });
  const afterMs = retryAfterMs(headers["retry-after"], Date.now());
  throw new RetryLaterError(`HTTP ${status} at every try`, afterMs === undefined ? {} : { afterMs });
}

/** Node's errors name hosts and addresses, which are nobody's business: only their code is kept. */
async function explained<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (signal.aborted || error instanceof TargetError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new TargetError(code === undefined ? "request failed" : `request failed (${code})`);
  }
}
