import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { Registry } from "prom-client";
import { onTestFinished } from "vitest";
import { readApiKeys } from "../../examples/service/api-keys.js";
import { createApp } from "../../examples/service/app.js";
import { createLog } from "../../examples/service/log.js";
import { hostGate } from "../../examples/service/pages/host-gate.js";
import type { Runner } from "../../examples/service/parts.js";
import { readSettings } from "../../examples/service/settings.js";
import type { BatchRunner } from "../../src/index.js";
import { freshPath } from "../support/stores.js";
import { writeKeys } from "./service-under-test.js";

/** Serves a runner of the test's own, with the calls of it that the test wants to see replaced; resolves to the port. */
export async function serveRunner(
  runner: BatchRunner,
  replaced: Partial<BatchRunner>,
  env: Record<string, string> = {},
): Promise<number> {
  const settings = readSettings({ API_KEYS_FILE: writeKeys(join(dirname(freshPath()), "keys.txt"), "alice"), ...env });
  const app = await createApp(
    {
      settings,
      apiKeys: await readApiKeys(settings.apiKeysFile),
      runner: { ...runner, ...replaced } as unknown as Runner,
      gate: hostGate(true, () => {}),
      metrics: new Registry(),
      isDraining: () => false,
    },
    createLog("silent"),
  );
  await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  return (app.server.address() as AddressInfo).port;
}
