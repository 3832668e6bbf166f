import { expect, test } from "vitest";
import { RetryLaterError, TargetError } from "../../src/index.js";
import type { TargetPage } from "../../src/inspect/protocol.js";
import { heldFetch, untilTerminal } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";
import { openStore } from "../support/stores.js";
import { openInspector } from "./open-inspector.js";
import { Viewer } from "./viewer.js";

const SECRET = /s3cret/i;

/** A run in which everything that a user gives or a fetch answers is secret, seen from before its first moment to after its last. */
async function secretRun() {
  const { store } = await openStore("memory");
  const inspector = await openInspector({ store });
  const early = await Viewer.look(inspector.url);
  const held = heldFetch();
  const { runner, clock } = await startRunner({ store, fetch: held.fetch, inspect: inspector.inspect });
  const targets = [1, 2, 3].map((n) => ({
    url: `https://s3cret.example/${n}`,
    options: { question: "s3cret?", s3cret: n },
  }));
  const caller = { name: "s3cret name", workspace: "s3cret", keySha256: "s3cret" };
  const { id } = await runner.submit({ caller, callerClass: "s3cret class", targets, idempotencyKey: "s3cret key" });
  (await held.next()).fail(new RetryLaterError("s3cret later", { afterMs: 10 }));
  await early.untilIn(id, "running.waiting");
  clock.increment(10);
  (await held.next()).succeed({ content: "s3cret", meta: { s3cret: "s3cret" } });
  (await held.next()).fail(new TargetError("s3cret", { status: 400, hint: "s3cret hint" }));
  const last = await held.next();
  await early.untilIn(id, "running.inFlight");
  last.fail(Object.assign(new Error("s3cret error"), { code: "S3CRET.example" }));
  await untilTerminal(runner, id);
  await early.until(() => early.jobs.get(id)?.status === "partial");
  return { inspector, early, id };
}

test("inspector: no URL, option, result, caller, error or hint of a run is in anything that is answered", async () => {
  const { inspector, early, id } = await secretRun();
  const late = await Viewer.look(inspector.url);
  await late.until(() => late.jobs.has(id) && late.events.size > 20);
  const response = await fetch(`${inspector.url}targets?job=${id}`);
  const page = (await response.json()) as TargetPage;
  expect(page.targets.map(({ index, status, attempts }) => [index, status, attempts])).toEqual([
    [0, "done", 2],
    [1, "failed", 1],
    [2, "failed", 1],
  ]);
  const said = [early, late].map(({ text, response: { rawHeaders } }) => text + rawHeaders.join("\n"));
  said.push(JSON.stringify(page), [...response.headers].join("\n"));
  expect(said.filter((text) => SECRET.test(text))).toEqual([]);
  expect(said[0]!.length).toBeGreaterThan(10_000);
});

test("inspector: who reveals a field lets it be seen in pages of targets, and nowhere else", async () => {
  const { store } = await openStore("memory");
  const reveal = ["url", "options", "result", "caller", "error", "hint"] as const;
  const inspector = await openInspector({ store, reveal });
  const viewer = await Viewer.look(inspector.url);
  const { runner } = await startRunner({
    store,
    fetch: ({ url }) => ({ content: `s3cret of ${url}` }),
    inspect: inspector.inspect,
  });
  const targets = [{ url: "https://s3cret.example/", options: { question: "s3cret?" } }];
  const { id } = await runner.submit({ caller: { name: "s3cret name" }, callerClass: "", targets });
  await viewer.until(() => viewer.jobs.get(id)?.status === "done");
  expect(await (await fetch(`${inspector.url}targets?job=${id}`)).json()).toEqual({
    job: { id, status: "done", targetsTotal: 1, targetsDone: 1, targetsFailed: 0, caller: "s3cret name" },
    targets: [
      {
        ...{ index: 0, status: "done", attempts: 1, url: "https://s3cret.example/", options: '{"question":"s3cret?"}' },
        ...{ result: '{"content":"s3cret of https://s3cret.example/"}', error: "", hint: "" },
      },
    ],
    more: false,
  });
  expect(viewer.text).not.toMatch(SECRET);
});
