import { expect, test } from "vitest";
import { TargetError } from "../../src/index.js";
import { heldFetch, settled, untilTerminal } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";

test.each([
  ["done", [undefined, undefined]],
  ["partial", [undefined, new TargetError("gone")]],
  ["failed", [new TargetError("gone"), new TargetError("gone")]],
] as const)("untilTerminal: resolves to the job once it is %s, and not before", async (status, answers) => {
  const held = heldFetch();
  const { runner, submit } = await startRunner({ fetch: held.fetch });
  const id = await submit("ann", "a", "b");
  let ended = false;
  const end = untilTerminal(runner, id).finally(() => {
    ended = true;
  });
  for (const error of answers) {
    const call = await held.next();
    await settled();
    expect(ended).toBe(false);
    if (error === undefined) call.succeed();
    else call.fail(error);
  }
  const job = await end;
  expect([job, job?.status]).toEqual([(await runner.status(id))?.job, status]);
});

test("untilTerminal: resolves to the job when it is cancelled", async () => {
  const { runner, submit } = await startRunner({ fetch: heldFetch().fetch });
  const id = await submit("ann", "a");
  const end = untilTerminal(runner, id);
  await runner.cancel(id);
  expect(await end).toMatchObject({ id, status: "cancelled" });
});

test("untilTerminal: resolves at once for a job that has ended, and to undefined for one that is unknown", async () => {
  const { runner, submit } = await startRunner({ fetch: ({ url }) => ({ content: url }) });
  const id = await submit("ann", "a");
  await runner.idle();
  expect([(await untilTerminal(runner, id))?.status, await untilTerminal(runner, "unknown")]).toEqual([
    "done",
    undefined,
  ]);
});

test("untilTerminal: rejects where the runner closes before the job has ended", async () => {
  const { runner, submit } = await startRunner({ fetch: heldFetch().fetch });
  const id = await submit("ann", "a");
  const end = untilTerminal(runner, id);
  await settled();
  await Promise.all([expect(end).rejects.toThrow(`while job ${id} was running`), runner.close()]);
});
