import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startService } from "../../examples/service/service.js";
import { readSettings } from "../../examples/service/settings.js";
import { openSqliteStore } from "../../src/index.js";
import { TestSite } from "../cli/test-site.js";
import { freshPath, request } from "../support/stores.js";
import { startExample, writeKeys } from "./service-under-test.js";

test("a service that cannot listen ends what it has begun, and the next one goes on with it", async () => {
  const site = await TestSite.start();
  onTestFinished(() => site.close());
  const path = freshPath();
  const store = await openSqliteStore(path);
  await store.admit(request("left", { caller: "alice", targets: [{ url: site.url("/a"), options: "{}" }] }));
  await store.close();

  site.page("/a", () => {});
  const keys = writeKeys(join(dirname(path), "keys.txt"), "alice");
  const { port } = new URL(site.url("/"));
  const settings = readSettings({ PORT: port, STORE: path, API_KEYS_FILE: keys, ALLOW_PRIVATE_TARGETS: "yes" });
  const starting = startService(settings, { logTo: { write: () => {} } });
  await expect(starting).rejects.toMatchObject({ code: "EADDRINUSE" });

  site.page("/a", (response) => response.end("at last"));
  const { untilEnded } = await startExample({}, {}, path);
  expect(await untilEnded("alice", "left")).toBe("done");
});
