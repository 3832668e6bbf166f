import type { Logger } from "pino";
import {
  type BatchRunner,
  type FetchFunc,
  type Gauges,
  type Hooks,
  type Job,
  RetryLaterError,
  type RunnerConfig,
} from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { logIntoMemory } from "../support/log-lines.js";
import { startRunner } from "../support/runner.js";
import { allRows, openStore } from "../support/stores.js";
import { collectStrays, GOOD, leaksOf, MARK, SECRET } from "./scene.js";

/** What somebody who only looks on may do: each of them is given what records, and may do anything beside or instead. */
export interface Bystander {
  hooks?(recording: Required<Hooks>, api: Api): unknown;
  logger?(recording: Logger, api: Api): unknown;
  inspect?(api: Api): unknown;
  subscribe?(gauges: Gauges, api: Api): void;
  read?(states: AsyncIterable<Job>, api: Api): Promise<unknown>;
}

/** The runner that is looked on, once it is made, and the jobs submitted so far. */
export interface Api {
  runner?: BatchRunner;
  ids: string[];
}

/** All that one life of a runner shows: to hooks, to the gauges' readers, to those who watch, to the logger and in the rows. */
export interface Transcript {
  hooks: string[];
  gauges: string[];
  watched: string[];
  logs: string[];
  rows: string[];
  strays: string[];
  leaks: string[];
}

const later = new RetryLaterError(SECRET, { afterMs: 1_000 });
const fetch: FetchFunc = ({ url }, { attempt }) => {
  if (url.endsWith("&bad")) throw new Error(SECRET);
  if (url.endsWith("&bug")) throw new TypeError(SECRET);
  if (url.endsWith("&later") && attempt === 1) throw later;
  return { content: SECRET };
};

/** Jobs that are done, partly done, failed, cancelled, reused and refused, on a simulated clock. */
export async function transcriptOf(bystander: Bystander): Promise<Transcript> {
  const strays = collectStrays();
  const { store, raw } = await openStore("memory");
  const log = logIntoMemory();
  const hooked: string[] = [];
  const api: Api = { ids: [] };
  const recording = recordInto(hooked);
  const { runner, clock } = await startRunner({
    store,
    fetch,
    workers: 2,
    targetsPerJob: 3,
    hooks: (bystander.hooks?.(recording, api) ?? recording) as Hooks,
    logger: (bystander.logger?.(log.logger, api) ?? log.logger) as Logger,
    ...(bystander.inspect === undefined ? {} : { inspect: bystander.inspect(api) as RunnerConfig["inspect"] & object }),
  });
  api.runner = runner;
  bystander.subscribe?.(runner.gauges, api);
  const gauges: string[] = [];
  runner.gauges.subscribe(({ context }) => gauges.push(`${context.live} live, ${context.inflight} in flight`));

  const watched: string[] = [];
  await live(runner, bystander, api, watched, (ms) => clock.increment(ms));
  const ids = raw.prepare("select id from batch_job order by seq").pluck().all() as string[];
  const { jobs, targets } = allRows(raw);
  const nameless = (value: unknown) => anonymous(JSON.stringify(value), ids);
  await runner.close();
  await settled();
  const logs = log.lines().map(({ time: _time, pid: _pid, hostname: _hostname, ...line }) => nameless(line));
  const rows = [...jobs.map(nameless), ...targets.map(nameless).sort()];
  return { hooks: hooked, gauges, watched, logs, rows, strays, leaks: leaksOf(log.lines()) };
}

async function live(
  runner: BatchRunner,
  { read }: Bystander,
  api: Api,
  watched: string[],
  pass: (ms: number) => void,
): Promise<void> {
  const submit = async (caller: string, ...ends: string[]) => {
    const targets = ends.map((end) => ({ url: `${SECRET}&${end}` }));
    const { id } = await runner.submit({ caller: { name: `${caller} ${MARK}` }, callerClass: MARK, targets });
    api.ids.push(id);
    return id;
  };
  const ann = await submit("ann", "good", "bad", "later");
  const reading = read?.(runner.watch(ann), api).catch(() => {});
  const watching = (async () => {
    for await (const job of runner.watch(ann))
      watched.push(`${job.status} ${job.targetsDone}, ${job.targetsFailed} failed`);
  })();
  await runner.cancel(await submit("bob", "good", "good", "good"));
  await settled();
  pass(1_000);
  await settled();
  await submit("ann", "good", "bad", "later");
  await submit("dan", "bad", "bad", "bad", "bad").catch(() => {});
  await submit("cat", "bug");
  await settled();
  await Promise.all([watching, Promise.race([reading, settled()])]);
  await submit("next", GOOD);
  await runner.idle();
  await settled();
}

function recordInto(lines: string[]): Required<Hooks> {
  return {
    job: (outcome) => lines.push(`job ${outcome}`),
    target: (error, durationMs, bytes) =>
      lines.push(`target ${error instanceof Error ? error.name : typeof error} ${durationMs} ${bytes}`),
    jobSeconds: (seconds) => lines.push(`jobSeconds ${seconds}`),
    depth: (live) => lines.push(`depth ${live}`),
    inflight: (count) => lines.push(`inflight ${count}`),
  };
}

/** A text with the random ids of jobs replaced by their places. */
function anonymous(text: string, ids: readonly string[]): string {
  return ids.reduce((named, id, place) => named.replaceAll(id, `job ${place + 1}`), text);
}
