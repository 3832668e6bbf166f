import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FetchFunc, openSqliteStore, RetryLaterError, TargetError } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { logIntoMemory } from "../support/log-lines.js";
import { startOnManualClock } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { troubledStore } from "../support/troubled-store.js";

/** Whatever of these shows up in a log line or on the console has leaked. */
const PLANTED = /planted|s3cret|secret\.example/i;
const URL_OF = (path: string) => `https://user:s3cret@planted.secret.example/${path}?token=s3cret`;
const TEXT = URL_OF("text");

/** An error that bears the secret wherever an error can. */
function leaky<E extends Error>(error: E): E {
  return Object.assign(error, {
    cause: new AggregateError([new Error(TEXT)], TEXT, { cause: { url: TEXT } }),
    code: TEXT,
    hint: TEXT,
    url: TEXT,
    stack: TEXT,
  });
}

const THROWN: Record<string, (attempt: number) => unknown> = {
  done: () => undefined,
  failed: () => leaky(new Error(TEXT)),
  gone: () => leaky(new TargetError(TEXT, { hint: TEXT, cause: new Error(TEXT) })),
  bug: () => new TypeError(TEXT),
  text: () => TEXT,
  invalid: () => undefined,
  busy: (attempt) => (attempt === 1 ? new RetryLaterError(TEXT, { cause: new Error(TEXT), afterMs: 10 }) : undefined),
  busyForEver: () => new RetryLaterError(TEXT, { cause: new Error(TEXT) }),
  slow: () => undefined,
};

const fetch: FetchFunc = async (target, { attempt }) => {
  const name = new URL(target.url).pathname.slice(1);
  if (name === "slow") await new Promise(() => {});
  const thrown = THROWN[name]?.(attempt);
  if (thrown !== undefined) throw thrown;
  return name === "invalid" ? (TEXT as never) : { content: TEXT, meta: { url: TEXT } };
};

let printed: string[] = [];

beforeEach(() => {
  printed = [];
  for (const method of ["log", "info", "warn", "error", "debug", "trace"] as const) {
    vi.spyOn(console, method).mockImplementation((...args) => void printed.push(args.join(" ")));
  }
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((chunk) => printed.push(String(chunk)) > 0);
  }
});

afterEach(() => vi.restoreAllMocks());

const CALLER = { name: "planted caller", workspace: "planted workspace", keySha256: "planted key" };

test("R8: over every outcome there is, no log line at any level and nothing on the console holds a URL, a host, a caller or an error's text", async () => {
  const { store: real, raw } = await openStoreFile();
  const { store, refused } = troubledStore(real);
  const log = logIntoMemory();
  const { runner, clock, lines } = await startOnManualClock({
    store,
    fetch,
    logger: log.logger,
    workers: 2,
    jobsTotal: 100,
    jobsPerCaller: 100,
    targetTimeoutMs: 5_000,
    retryWaitMs: 1_000,
    retryForMs: 3_000,
    maxBytes: 5_000,
    ttlMs: 3_600_000,
  });
  let round = "";
  const submit = (...names: string[]) =>
    runner.submit({
      caller: CALLER,
      callerClass: "planted class",
      targets: names.map((name) => ({ url: URL_OF(name), options: { question: TEXT, pages: round } })),
    });
  const pass = async (ms: number) => {
    for (let time = 0; time < ms; time += 500) {
      await settled();
      clock.jump(500);
    }
    await settled();
  };

  const names = Object.keys(THROWN);
  await submit(...names);
  await submit(...names);
  for (const name of names) await submit(name);
  const cancelled = await submit("slow", "done");
  await settled();
  await runner.cancel(cancelled.id);
  await pass(60_000);
  await runner.submit({ caller: CALLER, callerClass: "", targets: [{ url: 5 as never }] }).catch(() => {});
  await runner.submit({ caller: CALLER, callerClass: "", targets: Array(33).fill({ url: TEXT }) }).catch(() => {});

  // A broken row, vanished rows, and a store that refuses each of its methods for a while and for ever.
  const broken = await submit("slow", "gone");
  await settled();
  raw.prepare("update batch_target set options = ? where job_id = ? and idx = 1").run(TEXT, broken.id);
  const vanished = await submit("slow", "failed");
  await settled();
  raw.prepare("delete from batch_job where id = ?").run(vanished.id);
  await pass(10_000);
  for (const method of ["admit", "start", "settle", "defer", "evict", "sweep", "withdraw"] as const) {
    // Else what an earlier round has stored would be reused.
    round = method;
    await submit("busy", "failed", "gone").catch(() => {});
    await settled();
    refused.add(method);
    await submit("failed", "done").catch(() => {});
    await pass(8_000);
    refused.delete(method);
    await pass(8_000);
  }
  await submit("slow");
  await settled();
  const closing = runner.close({ timeoutMs: 10 });
  clock.jump(10);
  await closing;
  await settled();

  const outcomes = new Set(lines.filter((line) => line.startsWith("job ")));
  expect([...outcomes].sort()).toEqual([
    "job cancelled",
    "job created",
    "job done",
    "job failed",
    "job partial",
    "job reused",
  ]);
  expect(log.lines().length).toBeGreaterThan(80);
  expect(log.warnings().length).toBeGreaterThan(5);
  expect(log.lines().filter((line) => PLANTED.test(JSON.stringify(line)))).toEqual([]);
  const fields = new Set(log.lines().flatMap((line) => Object.keys(line)));
  for (const field of ["level", "time", "pid", "hostname", "msg"]) fields.delete(field);
  const allowed = ["jobId", "index", "attempt", "status", "code", "targets", "failed", "waitMs"];
  expect([...fields].filter((field) => !allowed.includes(field))).toEqual([]);
  expect(printed).toEqual([]);
});

test("R8: jobs that a dead owner left are logged by their ids alone", async () => {
  const { store, raw } = await openStoreFile();
  raw.exec(`insert into batch_job (id, caller, idem_key, status, targets_total, created_at, lease)
    values ('0123', 'planted caller', 'k', 'running', 1, 0, 0)`);
  raw.exec(`insert into batch_target (job_id, idx, url, status) values ('0123', 0, '${TEXT}', 'running')`);
  const log = logIntoMemory();
  await startOnManualClock({ store, fetch, logger: log.logger });
  expect(log.warnings().map(({ jobId }) => jobId)).toEqual(["0123"]);
  expect(log.text()).not.toMatch(PLANTED);
});

test.each([TEXT, "SQLITE_https://planted.secret.example", "planted secret", 5, { toString: () => TEXT }])(
  "R8: the code of a store's error is logged only where it can hold nothing else: %s",
  async (code) => {
    const store = await openSqliteStore(":memory:");
    const log = logIntoMemory();
    const sweep = store.sweep;
    const { submit, runner } = await startOnManualClock({ store, fetch, logger: log.logger });
    store.sweep = async () => {
      throw Object.assign(new Error(TEXT), { code });
    };
    await submit("ann", URL_OF("done"));
    await runner.idle();
    store.sweep = sweep;
    expect(log.warnings().length).toBe(1);
    expect(log.text()).not.toMatch(PLANTED);
  },
);

test("a whole life prints nothing on the console, with a logger and without", async () => {
  for (const logger of [logIntoMemory().logger, undefined]) {
    const { runner, submit } = await startOnManualClock({
      fetch,
      workers: 2,
      ...(logger === undefined ? {} : { logger }),
    });
    const id = await submit("ann", URL_OF("done"), URL_OF("failed"), URL_OF("slow"));
    await settled();
    await runner.cancel(id);
    await submit("bob", URL_OF("done"));
    await settled();
    const closing = runner.close({ timeoutMs: 1 });
    await settled();
    await settled();
    void closing;
  }
  await settled();
  expect(printed).toEqual([]);
});
