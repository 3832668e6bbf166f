import type { InspectionEvent } from "xstate";
import { systemClock } from "../clock.js";
import { inspectorServer } from "./inspector-server.js";
import { type Revealable, readReveal } from "./reveal.js";
import { type HistoryLimits, RunnerHistory } from "./runner-history.js";
import { type ReadableStore, targetPages } from "./target-page.js";

/** How an inspector is made. An option that is undefined takes its default. */
export interface LocalInspectorOptions {
  /** A free one. */
  port?: number;
  /** Where it listens; `127.0.0.1`, which only this machine reaches. */
  host?: string;
  /** Lets whoever chooses a job see its targets; states and counts alone, but for what is revealed. */
  store?: ReadableStore;
  /** What may be seen of targets beside states, ids and counts; nothing. */
  reveal?: readonly Revealable[];
  /** What is kept for whoever looks later; the newest 1,000 events, 3,000 phases of targets and 1,000 ended jobs. */
  history?: Partial<HistoryLimits>;
}

/** A page that shows a runner at work, served by this process. */
export interface LocalInspector extends AsyncDisposable {
  /** For a runner's `inspect`, before or after `listen()`. Never throws. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Where to look, once it listens. Who knows it can look: it holds a secret. */
  readonly url: string | undefined;
  /** Resolves to the `url`; rejects where the port is taken. Keeps no process alive. */
  listen(): Promise<string>;
  /** Ends every stream and forgets all. */
  close(): Promise<void>;
}

const LIMITS: HistoryLimits = { events: 1_000, spans: 3_000, jobs: 1_000 };

/**
 * Makes a live inspector for one runner: its actors, statecharts, events, and a timeline of its targets. By default it shows
 * states, event names, ids and counts: no URL, option, result, caller or error text.
 *
 * @example
 * const inspector = createLocalInspector();
 * const runner = await createBatchRunner({ store, fetch, inspect: inspector.inspect });
 * console.log(await inspector.listen());
 */
export function createLocalInspector(options: LocalInspectorOptions = {}): LocalInspector {
  const { port = 0, host = "127.0.0.1", store, reveal } = options;
  const revealed = readReveal(reveal);
  const history = newHistory(options.history);
  let open = true;
  const server = inspectorServer({
    host,
    port: wholeNumber("port", port, 0, 65_535),
    feed: history,
    targets: store === undefined ? undefined : targetPages(store, revealed),
  });
  return {
    inspect(event) {
      try {
        if (open) history.note(event);
      } catch {
        // An event that cannot be shown is no trouble of the runner's.
      }
    },
    get url() {
      return server.url;
    },
    listen: () => server.listen(),
    close() {
      open = false;
      return server.close().finally(() => history.forget());
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

function newHistory(history: Partial<HistoryLimits> = {}): RunnerHistory {
  const limits = { ...LIMITS };
  for (const name of ["events", "spans", "jobs"] as const) {
    limits[name] = wholeNumber(`history.${name}`, history[name] ?? LIMITS[name], 1, 1_000_000);
  }
  const madeAtMs = systemClock.monotonic();
  return new RunnerHistory(limits, () => systemClock.monotonic() - madeAtMs);
}

/** Throws a `RangeError` that names the option. */
function wholeNumber(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${name} must be a whole number from ${least} to ${most}`);
}
