import { describe, expect, test } from "vitest";
import type { InspectionEvent } from "xstate";
import { heldFetch, settled } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";
import { logStatements } from "../support/statement-log.js";

const START = ["start target"];
const FIRST_START = ["start target", "find status", "set running", "start target"];
const SETTLE = ["settle target", "count", "find totals"];
const LAST_SETTLE = ["settle target", "count and set status", "find totals"];

const transaction = (...statements: string[]) => ["begin", ...statements, "commit"];

/** What ran for each fetch that was answered: from its answer until the next one is in flight, or nothing is left to do. */
async function runHeld(jobs: number, targets: number): Promise<string[][]> {
  const held = heldFetch();
  const { submit } = await startRunner({ fetch: held.fetch, jobsTotal: jobs });
  const urls = (job: number) => Array.from({ length: targets }, (_, index) => `${job}-${index}`);
  await submit("ann", ...urls(0));
  // The first job's first target is in flight, so that the others find the worker busy.
  const first = await held.next();
  for (let job = 1; job < jobs; job++) await submit("ann", ...urls(job));
  await settled();
  const ran = logStatements();
  const each: string[][] = [];
  for (let call = first, left = jobs * targets; ; ) {
    call.succeed();
    await settled();
    each.push(ran.splice(0));
    if (--left === 0) return each;
    call = await held.next();
  }
}

describe("what a target costs the store", () => {
  test("one job: each target one transaction of four statements; its last one of three", async () => {
    const each = await runHeld(1, 6);

    const steady = transaction(...SETTLE, ...START);
    expect(each).toEqual([steady, steady, steady, steady, steady, transaction(...LAST_SETTLE)]);
  });

  test("eight jobs: no more, but for each job's first target, which looks at its status and sets it running", async () => {
    const each = await runHeld(8, 3);

    const firsts = Array.from({ length: 7 }, () => transaction(...SETTLE, ...FIRST_START));
    const steady = Array.from({ length: 9 }, () => transaction(...SETTLE, ...START));
    const lasts = Array.from({ length: 7 }, () => transaction(...LAST_SETTLE, ...START));
    expect(each).toEqual([...firsts, ...steady, ...lasts, transaction(...LAST_SETTLE)]);
  });

  test("the first target of a job whose worker was idle: a transaction of its own", async () => {
    const held = heldFetch();
    const { submit } = await startRunner({ fetch: held.fetch });
    await submit("ann", "u:0");
    await held.next();
    const ran = logStatements();

    const other = await startRunner({ fetch: heldFetch().fetch });
    ran.length = 0;
    await other.submit("ann", "u:0");
    await settled();

    const begins = ran.lastIndexOf("begin");
    expect(ran.slice(begins)).toEqual(transaction(...FIRST_START));
  });

  test("two workers whose fetches are answered in one turn of the event loop: one transaction for both", async () => {
    const held = heldFetch();
    const { submit } = await startRunner({ fetch: held.fetch, workers: 2 });
    await submit("ann", "a0", "a1", "a2");
    await submit("ann", "b0", "b1", "b2");
    const calls = [await held.next(), await held.next()];
    await settled();
    const ran = logStatements();

    for (const call of calls) call.succeed();
    await settled();

    expect(ran).toEqual(transaction(...SETTLE, ...START, ...SETTLE, ...START));
  });
});

/** The events that each answered fetch brings about, by whom they are for. */
async function eventsOf(jobs: number, targets: number): Promise<string[][]> {
  const held = heldFetch();
  const events: string[] = [];
  const inspect = (event: InspectionEvent) => {
    if (event.type !== "@xstate.event") return;
    const id = (event.actorRef as unknown as { id: string }).id;
    const name = id === "job" || id.startsWith("worker") ? id : "scheduler";
    events.push(`${name} <- ${event.event.type}`);
  };
  const { submit } = await startRunner({ fetch: held.fetch, jobsTotal: jobs, inspect });
  for (let job = 0; job < jobs; job++)
    await submit("ann", ...Array.from({ length: targets }, (_, index) => `${job}-${index}`));
  const each: string[][] = [];
  for (let left = jobs * targets; left > 0; left--) {
    const call = await held.next();
    await settled();
    events.length = 0;
    call.succeed();
    await settled();
    each.push(events.splice(0).sort());
  }
  return each;
}

describe("what a target costs the actors", () => {
  const alone = [
    ...["job <- target.stored", "scheduler <- worker.asking"],
    ...["worker-1 <- fetch.settled", "worker-1 <- target.stored", "worker-1 <- worker.take"],
  ];
  const among = [...alone, "job <- target.taken", "scheduler <- job.ready"].sort();

  test("one job: five events a target", async () => {
    const each = await eventsOf(1, 6);

    expect(each.slice(0, -1)).toEqual([alone, alone, alone, alone, alone]);
  });

  test("eight jobs: seven events a target, for its job asks for a turn and is given it", async () => {
    const each = await eventsOf(8, 4);

    expect(each.slice(8, 24)).toEqual(Array.from({ length: 16 }, () => among));
  });
});
