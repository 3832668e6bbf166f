import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Service, startService, type World } from "../../examples/service/service.js";
import { readSettings } from "../../examples/service/settings.js";
import { TestSite } from "../cli/test-site.js";
import { freshPath } from "../support/stores.js";

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export interface Call {
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Writes a file of keys, where each caller's key is `key-of-<name>`. */
export function writeKeys(path: string, ...names: string[]): string {
  const line = (name: string) => `${name} trial ${createHash("sha256").update(keyOf(name)).digest("hex")}`;
  writeFileSync(path, names.map(line).join("\n"));
  return path;
}

export const keyOf = (name: string) => `key-of-${name}`;

/** One call over a real socket; the body read as JSON. Callers are known by name. */
export async function call(port: number, method: string, path: string, { key, body, headers = {} }: Call = {}) {
  const response = await open(port, method, path, { ...(key === undefined ? {} : { key }), body, headers });
  const text = await response.text();
  const parsed = response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : { text };
  return { status: response.status, headers: response.headers, body: parsed } as Answer;
}

/** As `call`, with the answer's body not yet read. */
export function open(port: number, method: string, path: string, { key, body, headers = {} }: Call = {}) {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

export interface ServiceUnderTest {
  service: Service;
  site: TestSite;
  storePath: string;
  log: string[];
  /** A call with the key of a caller of this name. */
  as(name: string, method: string, path: string, call?: Call): Promise<Answer>;
  /** Submits pages of the test site and resolves to the job's id. */
  submit(name: string, ...paths: string[]): Promise<string>;
  /** Resolves to the job's status once it has ended, as its event stream tells it. */
  untilEnded(name: string, id: string): Promise<string>;
}

/** The service on a free port with a site to fetch from, private addresses allowed; drained when the test ends. */
export async function startExample(
  env: Record<string, string> = {},
  world: World = {},
  path = freshPath(),
): Promise<ServiceUnderTest> {
  const log: string[] = [];
  const keys = writeKeys(join(dirname(path), "keys.txt"), "alice", "bob");
  const given = { PORT: "0", STORE: path, API_KEYS_FILE: keys, LOG_LEVEL: "trace", DRAIN_MS: "1" };
  const settings = readSettings({ ...given, ALLOW_PRIVATE_TARGETS: "yes", ...env });
  const site = await TestSite.start();
  const service = await startService(settings, { logTo: { write: (line) => void log.push(line) }, ...world });
  onTestFinished(async () => {
    site.close();
    await service.drain();
  });
  const as: ServiceUnderTest["as"] = (name, method, at, options) =>
    call(service.port, method, at, { key: keyOf(name), ...options });
  return {
    service,
    site,
    storePath: path,
    log,
    as,
    async submit(name, ...paths) {
      const { status, body } = await as(name, "POST", "/v1/batch", { body: batchOf(site, ...paths) });
      if (status !== 202) throw new Error(`not accepted: ${status} ${JSON.stringify(body)}`);
      return body.id as string;
    },
    async untilEnded(name, id) {
      const response = await open(service.port, "GET", `/v1/batch/${id}/events`, { key: keyOf(name) });
      const last = jobEvents(await response.text()).at(-1);
      return last?.status as string;
    },
  };
}

export function batchOf(site: TestSite, ...paths: string[]): { targets: { url: string }[] } {
  return { targets: paths.map((path) => ({ url: site.url(path) })) };
}

/** The jobs that server-sent events told of. */
export function jobEvents(text: string): Record<string, unknown>[] {
  return [...text.matchAll(/^event: job\ndata: (.*)\n\n/gm)].map((match) => JSON.parse(match[1] as string));
}
