import { once } from "node:events";
import { request } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { progressStream } from "../../examples/service/progress-stream.js";
import type { BatchRunner, Job } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";
import { serveRunner } from "./served-runner.js";
import { jobEvents, keyOf, startExample } from "./service-under-test.js";

function job(targetsDone: number, status: Job["status"] = "running"): Job {
  const counts = { targetsTotal: 9, targetsDone, targetsFailed: 0 };
  return { id: "1", caller: "alice", callerClass: "trial", status, error: "", createdAt: 0, ...counts };
}

test("events tell the job at each change until it has ended, and then the stream ends", async () => {
  const { service, site, submit } = await startExample();
  const gate = site.gate("/b");
  const id = await submit("alice", "/a", "/b");
  const events = fetch(`http://127.0.0.1:${service.port}/v1/batch/${id}/events`, {
    headers: { authorization: `Bearer ${keyOf("alice")}` },
  });
  const response = await events;
  await site.wasAsked("/b");
  gate.open();
  const told = jobEvents(await response.text());
  const { createdAt } = told[0] as { createdAt: number };
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(told.at(-1)).toEqual({
    id,
    status: "done",
    error: "",
    targetsTotal: 2,
    targetsDone: 2,
    targetsFailed: 0,
    createdAt,
  });
  expect(told.map(({ targetsDone }) => targetsDone)).toEqual(told.map(({ targetsDone }) => targetsDone).sort());
});

/** A runner whose job is held in its first fetch, with a count of the watches on it that are open. */
async function watchedRunner(): Promise<{
  runner: BatchRunner;
  id: string;
  watch: BatchRunner["watch"];
  open: Set<unknown>;
}> {
  const { runner, submit } = await startRunner({ fetch: heldFetch().fetch });
  const id = await submit("alice", "u:1");
  const open = new Set<unknown>();
  const watch: BatchRunner["watch"] = (of) => ({
    [Symbol.asyncIterator]() {
      const states = runner.watch(of)[Symbol.asyncIterator]();
      open.add(states);
      return {
        next: () => states.next(),
        async return() {
          open.delete(states);
          return (await states.return?.()) as IteratorResult<Job>;
        },
      };
    },
  });
  return { runner, id, watch, open };
}

test("a client that goes away ends its watch at once, though nothing changes", async () => {
  const { runner, id, watch, open } = await watchedRunner();
  const port = await serveRunner(runner, { watch });
  const headers = { authorization: `Bearer ${keyOf("alice")}` };
  const leaving = request({ port, host: "127.0.0.1", path: `/v1/batch/${id}/events`, headers, agent: false }).end();
  const [response] = await once(leaving, "response");
  await once(response, "data");
  expect(open.size).toBe(1);
  response.on("error", () => {});
  leaving.destroy();
  await vi.waitFor(() => expect(open.size).toBe(0));
});

test("a quiet stream is kept alive by comments", async () => {
  const { runner, id } = await watchedRunner();
  const port = await serveRunner(runner, {}, { HEARTBEAT_MS: "1" });
  const headers = { authorization: `Bearer ${keyOf("alice")}` };
  const response = await fetch(`http://127.0.0.1:${port}/v1/batch/${id}/events`, { headers });
  let text = "";
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk);
    if (text.split(": still here\n\n").length > 3) break;
  }
  expect(text).toMatch(/^event: job\ndata: \{.*\}\n\n(: still here\n\n)+$/);
});

test("a slow reader is given the newest state, and nothing is taken ahead for it", async () => {
  let asked = 0;
  const states = {
    async next() {
      asked++;
      return { done: false as const, value: job(asked) };
    },
  };
  const stream = progressStream({ [Symbol.asyncIterator]: () => states }, 60_000);
  stream.read(0);
  await settled();
  expect(asked).toBe(1);
  stream.read();
  await settled();
  expect(asked).toBe(2);
  stream.destroy();
});

test("whenever the heart beats, a slow reader gets the last state, and then the end", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  async function* states() {
    yield job(1);
    yield job(9, "done");
  }
  const stream = progressStream(states(), 1);
  let text = "";
  while (!stream.closed) {
    text += stream.read() ?? "";
    await settled();
    vi.advanceTimersByTime(1);
    await settled();
  }
  expect(stream.errored).toBe(null);
  expect(jobEvents(text).map(({ targetsDone }) => targetsDone)).toEqual([1, 9]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a watch that fails breaks the stream off", async () => {
  const failing = { next: () => Promise.reject(new Error("SQLITE_IOERR")) };
  const stream = progressStream({ [Symbol.asyncIterator]: () => failing }, 60_000);
  stream.resume();
  const [error] = await once(stream, "error").catch((thrown) => [thrown]);
  expect((error as Error).message).toBe("SQLITE_IOERR");
});
