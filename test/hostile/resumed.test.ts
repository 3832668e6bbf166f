import { expect, test } from "vitest";
import { settled, untilTerminal } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { logIntoMemory } from "../support/log-lines.js";
import { succession } from "../support/succession.js";
import { RESUMED } from "./resumed-cases.js";
import { collectStrays, GOOD, leaksOf, SECRET } from "./scene.js";

test("resume, R8: whatever it answers or does, each job goes on or is interrupted, and so are the others", async () => {
  const strays = collectStrays();
  const log = logIntoMemory();
  const { store, raw, start } = await succession({ jobsTotal: 100, logger: log.logger });
  const first = await start();
  const ids: Record<string, string> = {};
  for (const { name } of RESUMED) ids[name] = await first.submit(name, `${SECRET}#${name}`);
  await first.held.next();
  await first.stop();

  const cases = new Map(RESUMED.map((resumed) => [resumed.name, resumed]));
  const fetched = new Set<string>();
  const second = await start({
    resume: ((job: { caller: string }) => cases.get(job.caller)!.resume(job as never, store)) as never,
    fetch(target, { caller }) {
      fetched.add(`${target.url} for ${typeof caller}`);
      return { content: SECRET };
    },
  });
  await second.runner.idle();
  const ends: Record<string, string> = {};
  for (const [name, id] of Object.entries(ids)) {
    const { job } = jobRows(raw, id);
    ends[name] = `${job?.status}${job?.error === "" ? "" : `: ${job?.error}`}`;
  }
  const stated = Object.fromEntries(RESUMED.map(({ name, ends }) => [name, ends]));
  expect(ends).toEqual(stated);
  const resumed = RESUMED.filter(({ ends }) => ends === "done").map(({ name }) => `${SECRET}#${name} for object`);
  expect([...fetched]).toEqual(resumed);

  const interrupted = Object.values(stated).filter((end) => end === "failed: interrupted");
  expect(second.lines.filter((line) => line.startsWith("job"))).toEqual([
    ...interrupted.map(() => "job failed"),
    "job cancelled",
    ...resumed.flatMap(() => ["job done", "jobSeconds"]),
  ]);
  const next = await second.submit("next", GOOD);
  expect((await untilTerminal(second.runner, next))?.status).toBe("done");
  await settled();
  expect({ strays, leaks: leaksOf(log.lines()) }).toEqual({ strays: [], leaks: [] });
});

test("resume, R8: one that closes the store is told so, and the store is given back", async () => {
  const strays = collectStrays();
  const { store, start } = await succession();
  const first = await start();
  await first.submit("ann", GOOD);
  await first.stop();
  const resume = async () => {
    await store.close();
    return { name: "ann" };
  };
  await expect(start({ resume })).rejects.toThrow("database connection is not open");
  await expect(start()).rejects.toThrow("the store is closed");
  await settled();
  expect(strays).toEqual([]);
});
