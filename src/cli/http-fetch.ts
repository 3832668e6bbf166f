import { RetryLaterError, TargetError } from "../errors.js";
import type { FetchFunc } from "../runner/batch-runner.js";
import type { Caller, Result } from "../target.js";
import { networkError } from "./network-error.js";
import { readBody } from "./response-body.js";
import { retryAfterMs } from "./retry-after.js";
import { statusHint } from "./status-hint.js";

export const MAX_BODY_BYTES = 1024 * 1024;

/**
 * A fetch by HTTP GET: the body's text up to `maxBodyBytes` (1 MiB), and in `meta` the status, content type, final URL,
 * bytes and duration. 429 and 503 are tried again later, at the server's own `Retry-After`; any other non-2xx fails.
 */
export function httpFetch(options: { maxBodyBytes?: number } = {}): FetchFunc<Caller, object> {
  const { maxBodyBytes = MAX_BODY_BYTES } = options;
  return async ({ url }, { signal }): Promise<Result> => {
    const startedMs = performance.now();
    const response = await explained(fetch(url, { signal, headers: { "user-agent": "fairbatch" } }), signal);
    if (!response.ok) throw await refusal(response);
    const { content, bytes, truncated } = await explained(readBody(response, maxBodyBytes), signal);
    const meta = {
      status: response.status,
      contentType: response.headers.get("content-type") ?? "",
      finalUrl: response.url,
      bytes,
      durationMs: Math.round(performance.now() - startedMs),
      ...(truncated ? { truncated } : {}),
    };
    return { content, meta };
  };
}

/** An abort passes as it is: the runner knows why it came. */
async function explained<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw signal.aborted ? error : networkError(error);
  }
}

async function refusal(response: Response): Promise<Error> {
  // An unread body would hold its socket.
  await response.body?.cancel().catch(() => {});
  const { status } = response;
  const message = `HTTP ${status} ${response.statusText}`.trimEnd();
  if (status !== 429 && status !== 503) return new TargetError(message, { status, hint: statusHint(status) });
  const afterMs = retryAfterMs(response.headers.get("retry-after"), Date.now());
  return new RetryLaterError(`${message} at every try`, afterMs === undefined ? {} : { afterMs });
}
