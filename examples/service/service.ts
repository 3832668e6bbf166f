import { lookup } from "node:dns";
import type { AddressInfo } from "node:net";
import { type BatchStore, type Caller, createBatchRunner, openSqliteStore } from "fairbatch";
import { prometheusHooks } from "fairbatch/prometheus";
import { Registry } from "prom-client";
import { type ApiKeys, readApiKeys } from "./api-keys.js";
import { createApp } from "./app.js";
import { createLog } from "./log.js";
import { pageFetch } from "./pages/fetch-page.js";
import { type HostGate, hostGate, type Resolve } from "./pages/host-gate.js";
import type { App, Runner } from "./parts.js";
import { SettingError, type Settings } from "./settings.js";

/** What a test puts in the place of the world. */
export interface World {
  resolve?: Resolve;
  logTo?: { write(line: string): void };
}

export interface Service {
  port: number;
  /** Takes no more batches, lets live ones finish within `drainMs`, and closes everything. */
  drain(): Promise<void>;
}

/** Once nothing is run any more, answers that nobody takes are given up after so long. */
const LAST_ANSWERS_MS = 2_000;

/** Opens the store, takes up what an earlier process left, and listens. */
export async function startService(settings: Settings, { resolve = lookup, logTo }: World = {}): Promise<Service> {
  const apiKeys = await readApiKeys(settings.apiKeysFile);
  const log = createLog(settings.logLevel, logTo);
  const metrics = new Registry();
  const gate = hostGate(settings.allowPrivateTargets, resolve);
  const store = await openSqliteStore(settings.storePath).catch(() => {
    throw new SettingError("STORE cannot be opened");
  });
  const opened: { close(): Promise<void> }[] = [store];
  try {
    const runner = await createRunner(settings, { store, gate, apiKeys, log, metrics });
    // At work already on what an earlier process left: closed before the store that it works on.
    opened.unshift(runner);
    let draining = false;
    const app = await createApp({ settings, apiKeys, runner, gate, metrics, isDraining: () => draining }, log);
    // Fastify would log the address.
    await app.listen({ host: settings.host, port: settings.port, listenTextResolver: () => "server started" });
    const { port } = app.server.address() as AddressInfo;
    log.info({ port }, "listening");
    return {
      port,
      async drain() {
        draining = true;
        log.info("draining");
        await runner.close({ drain: true, timeoutMs: settings.drainMs });
        await closeApp(app);
        await store.close();
        log.info("drained");
      },
    };
  } catch (error) {
    for (const part of opened) await part.close();
    throw error;
  }
}

function createRunner(
  settings: Settings,
  parts: { store: BatchStore; gate: HostGate; apiKeys: ApiKeys; log: ReturnType<typeof createLog>; metrics: Registry },
): Promise<Runner> {
  const { store, gate, apiKeys, log, metrics } = parts;
  return createBatchRunner<Caller, Record<string, unknown>>({
    store,
    fetch: pageFetch(gate, settings.maxAnswerBytes),
    // A batch of a caller who no longer has a key fails instead.
    resume: (job) => apiKeys.named(job.caller)?.caller,
    hooks: prometheusHooks(metrics),
    logger: log,
    targetsPerJob: settings.targetsPerJob,
    jobsPerCaller: settings.jobsPerCaller,
    jobsTotal: settings.jobsTotal,
    maxBytes: settings.maxStoreBytes,
    workers: settings.workers,
    workersMax: settings.workers,
    targetTimeoutMs: settings.targetTimeoutMs,
    retryForMs: settings.retryForMs,
  });
}

async function closeApp(app: App): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), LAST_ANSWERS_MS);
  await app.close();
  clearTimeout(timer);
}
