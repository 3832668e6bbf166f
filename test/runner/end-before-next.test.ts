import { expect, test } from "vitest";
import { recordHooks, startRunner } from "../support/runner.js";

test("R4: a job's end is told before the target of another job, started with its last one, is fetched", async () => {
  const { hooks, lines } = recordHooks();
  const { runner, submit } = await startRunner({
    hooks,
    fetch: ({ url }) => {
      lines.push(`fetch ${url}`);
      return { content: "" };
    },
  });

  const jobs = [submit("ann", "a1", "a2", "a3"), submit("bob", "b1", "b2")];
  await Promise.all(jobs);
  await runner.idle();

  // a3 is started with b2, which is the last of its job; a job ends only once that is stored.
  expect(lines.slice(lines.indexOf("fetch b2"))).toEqual([
    "fetch b2",
    ...["inflight 0", "depth 1", "target ok 14", "job done", "jobSeconds"],
    ...["inflight 1", "fetch a3"],
    ...["inflight 0", "depth 0", "target ok 14", "job done", "jobSeconds"],
  ]);
});

test("R4: a target is counted before the next one of its job, started with it, is fetched", async () => {
  const counted: unknown[] = [];
  const { runner, submit } = await startRunner({
    fetch: ({ url }) => {
      counted.push([url, newest]);
      return { content: "" };
    },
    inspect: (event) => {
      if (event.type === "@xstate.snapshot" && "context" in event.snapshot)
        newest = (event.snapshot.context as { targetsDone?: number }).targetsDone ?? newest;
    },
  });
  let newest = 0;

  await submit("ann", "a1", "a2", "a3");
  await runner.idle();

  expect(counted).toEqual([
    ["a1", 0],
    ["a2", 1],
    ["a3", 2],
  ]);
});
