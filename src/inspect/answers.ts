import type { ServerResponse } from "node:http";
import type { PageFile } from "./page-files.js";

const CONTENT_SECURITY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** With every answer: nothing is kept, framed, guessed at, passed on, or run but the page's own files. */
const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": CONTENT_SECURITY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

export function answerFile(response: ServerResponse, { body, type }: PageFile): void {
  response.writeHead(200, { ...HEADERS, "content-type": type, "content-length": body.length }).end(body);
}

export function answerJson(response: ServerResponse, value: object): void {
  answerFile(response, { body: Buffer.from(JSON.stringify(value)), type: "application/json" });
}

/** Says nothing but the status: not even whether the token was right. */
export function answerStatus(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...HEADERS, ...headers, "content-length": 0 }).end();
}

/** Begins a stream of server-sent events, to be asked for again a second after it breaks. */
export function answerStream(response: ServerResponse): void {
  response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream", "x-accel-buffering": "no" });
  response.write("retry: 1000\n\n");
}
