import { describe, expect, test } from "vitest";
import { type Result, RetryLaterError } from "../../src/index.js";
import { heldFetch, settled } from "../../src/testing/index.js";
import { jobRows } from "../support/job-rows.js";
import { logIntoMemory } from "../support/log-lines.js";
import { startOnManualClock } from "../support/runner.js";
import { openStoreFile } from "../support/store-file.js";
import { type TroubledStore, troubledStore } from "../support/troubled-store.js";

async function startTroubled() {
  const { store: real, raw } = await openStoreFile();
  const trouble = troubledStore(real);
  const log = logIntoMemory();
  const held = heldFetch();
  const started = await startOnManualClock({ store: trouble.store, fetch: held.fetch, logger: log.logger });
  const warnings = () => log.warnings().map(({ jobId, code }) => ({ jobId, code }));
  return { ...started, ...trouble, raw, held, log, warnings };
}

/** How often the store was asked for this. */
const timesAsked = ({ calls }: Pick<TroubledStore, "calls">, method: string) =>
  calls.filter((call) => call === method).length;

describe("R8: a start that the store refuses", () => {
  test("is tried again after `retryWaitMs`; the target is fetched once it is stored, and other jobs go on meanwhile", async () => {
    const { runner, clock, calls, refused, raw, held, lines, submit, warnings } = await startTroubled();
    refused.add("start");
    const id = await submit("ann", "a");
    await settled();
    expect([jobRows(raw, id), held.urls, timesAsked({ calls }, "start")]).toEqual([
      { job: { status: "queued", error: "", done: 0, failed: 0 }, targets: ["pending"] },
      [],
      1,
    ]);
    expect(warnings()).toEqual([{ jobId: id, code: "SQLITE_IOERR" }]);

    refused.delete("start");
    await submit("bob", "b");
    (await held.next()).succeed();
    await settled();
    clock.jump(1_999);
    await settled();
    expect(held.urls).toEqual(["b"]);
    clock.jump(1);
    const call = await held.next();
    expect([call.target.url, call.context.attempt]).toEqual(["a", 1]);
    call.succeed();
    await runner.idle();
    await settled();
    expect(jobRows(raw, id)).toEqual({ job: { status: "done", error: "", done: 1, failed: 0 }, targets: ["done"] });
    expect(lines.filter((line) => line.startsWith("job"))).toEqual([
      ...["job created", "job created"],
      ...["job done", "jobSeconds", "job done", "jobSeconds"],
    ]);
  });

  test("may be refused many times within `retryForMs`: one try every `retryWaitMs`, and a bounded number of warnings", async () => {
    const { clock, calls, refused, raw, held, submit, warnings } = await startTroubled();
    refused.add("start");
    const id = await submit("ann", "a");
    for (let time = 0; time < 200; time++) {
      await settled();
      clock.jump(2_000);
    }
    await settled();
    expect(timesAsked({ calls }, "start")).toBe(201);
    expect(warnings()).toEqual([{ jobId: id, code: "SQLITE_IOERR" }]);
    refused.clear();
    clock.jump(2_000);
    (await held.next()).succeed();
    await settled();
    expect(jobRows(raw, id).job?.status).toBe("done");
  });

  test("is forgotten once it is stored, also together with another job's target: a later refusal has all of `retryForMs` again", async () => {
    const { clock, refused, raw, held, lines, submit, warnings } = await startTroubled();
    refused.add("start");
    const id = await submit("bob", "b");
    await settled();
    refused.clear();
    await submit("ann", "a");
    const first = await held.next();
    clock.jump(2_000);
    first.succeed();
    const second = await held.next();
    expect([first.target.url, second.target.url]).toEqual(["a", "b"]);

    clock.jump(600_001);
    refused.add("settle");
    second.succeed();
    await settled();
    expect([jobRows(raw, id).targets, lines.filter((line) => line.startsWith("target"))]).toEqual([
      ["running"],
      ["target ok 15"],
    ]);
    expect(warnings()).toEqual([
      { jobId: id, code: "SQLITE_IOERR" },
      { jobId: id, code: "SQLITE_IOERR" },
    ]);

    refused.clear();
    clock.jump(2_000);
    await settled();
    expect(jobRows(raw, id).job?.status).toBe("done");
  });
});

describe("R8: an outcome that the store refuses", () => {
  test.each([
    ["a result", "succeed", { content: "held" }, "done", "target ok 18"],
    ["an error", "fail", new Error("nope"), "failed: nope", "target nope"],
  ] as const)(
    "is held and stored later, never fetched anew, with the worker free meanwhile: %s",
    async (_name, how, answer, target, line) => {
      const { runner, clock, calls, refused, raw, held, lines, submit, warnings } = await startTroubled();
      const id = await submit("ann", "a", "b");
      const call = await held.next();
      refused.add("settle");
      call[how](answer as Result);
      await settled();
      expect(jobRows(raw, id)).toEqual({
        job: { status: "running", error: "", done: 0, failed: 0 },
        targets: ["running", "pending"],
      });
      expect(lines.slice(3)).toEqual(["inflight 0"]);

      // The other job gets the worker, though its outcome is refused as well.
      const other = await submit("bob", "c");
      (await held.next()).succeed();
      for (let time = 0; time < 50; time++) {
        await settled();
        clock.jump(2_000);
      }
      await settled();
      expect(held.urls).toEqual(["a", "c"]);
      expect(timesAsked({ calls }, "settle")).toBe(2 + 2 * 50);
      expect(warnings()).toEqual([
        { jobId: id, code: "SQLITE_IOERR" },
        { jobId: other, code: "SQLITE_IOERR" },
      ]);

      refused.clear();
      const told = lines.length;
      clock.jump(2_000);
      const next = await held.next();
      expect(next.target.url).toBe("b");
      next.succeed();
      await runner.idle();
      await settled();
      expect(held.urls).toEqual(["a", "c", "b"]);
      expect(jobRows(raw, id).targets).toEqual([target, "done"]);
      expect(
        lines
          .slice(told)
          .filter((each) => each.startsWith("target"))
          .sort(),
      ).toEqual([line, "target ok 15", "target ok 15"].sort());
      if (how === "succeed") expect((await runner.status(id))?.targets[0]?.result).toEqual(answer);
    },
  );

  test("of the last target: the job's end is stored with it and told once, when it is stored", async () => {
    const { runner, clock, refused, raw, held, lines, submit } = await startTroubled();
    const id = await submit("ann", "a");
    const call = await held.next();
    refused.add("settle");
    call.succeed();
    await settled();
    clock.jump(2_000);
    await settled();
    expect([jobRows(raw, id).job?.status, lines.slice(3), runner.gauges.getSnapshot().context.live]).toEqual([
      "running",
      ["inflight 0"],
      1,
    ]);
    refused.clear();
    clock.jump(1_999);
    await settled();
    expect(lines.length).toBe(4);
    clock.jump(1);
    await runner.idle();
    await settled();
    expect(lines.slice(4)).toEqual(["depth 0", "target ok 15", "job done", "jobSeconds"]);
    expect(jobRows(raw, id)).toEqual({ job: { status: "done", error: "", done: 1, failed: 0 }, targets: ["done"] });
  });

  test("of a job that is cancelled meanwhile: it is stored all the same, and the job stays cancelled", async () => {
    const { runner, clock, refused, raw, held, lines, submit } = await startTroubled();
    const id = await submit("ann", "a", "b");
    const call = await held.next();
    refused.add("settle");
    call.succeed();
    await settled();
    expect(await runner.cancel(id)).toBe(true);
    clock.jump(2_000);
    await settled();
    refused.clear();
    clock.jump(2_000);
    await settled();
    expect(jobRows(raw, id)).toEqual({
      job: { status: "cancelled", error: "", done: 1, failed: 0 },
      targets: ["done", "pending"],
    });
    expect(lines.slice(4)).toEqual(["depth 0", "job cancelled", "target ok 15"]);
    expect([held.urls, clock.waits]).toEqual([["a"], []]);
  });

  test("at `close()`: it is tried once more", async () => {
    const { runner, refused, raw, held, submit } = await startTroubled();
    const id = await submit("ann", "a");
    const call = await held.next();
    refused.add("settle");
    call.succeed();
    await settled();
    refused.clear();
    await runner.close();
    expect(jobRows(raw, id)).toEqual({ job: { status: "done", error: "", done: 1, failed: 0 }, targets: ["done"] });
  });

  test("at `close()` too: closing ends, and the row is left for the next start", async () => {
    const { runner, refused, raw, held, submit } = await startTroubled();
    const id = await submit("ann", "a");
    const call = await held.next();
    refused.add("settle");
    call.succeed();
    await settled();
    await runner.close();
    expect(jobRows(raw, id)).toEqual({
      job: { status: "running", error: "", done: 0, failed: 0 },
      targets: ["running"],
    });
  });
});

describe("R8: a putting back that the store refuses", () => {
  test("is tried again every `retryWaitMs`; then the target waits and is fetched again", async () => {
    const { clock, calls, refused, raw, held, lines, submit, warnings } = await startTroubled();
    const id = await submit("ann", "a");
    const call = await held.next();
    refused.add("defer");
    call.fail(new RetryLaterError("later", { afterMs: 60_000 }));
    await submit("bob", "b");
    (await held.next()).succeed();
    for (let time = 0; time < 10; time++) {
      await settled();
      clock.jump(2_000);
    }
    await settled();
    expect([timesAsked({ calls }, "defer"), held.urls, jobRows(raw, id).targets]).toEqual([
      11,
      ["a", "b"],
      ["running"],
    ]);
    expect(warnings()).toEqual([{ jobId: id, code: "SQLITE_IOERR" }]);
    refused.clear();
    clock.jump(2_000);
    await settled();
    expect([jobRows(raw, id).targets, clock.waits]).toEqual([["pending"], [60_000 - 22_000]]);
    clock.jump(38_000);
    const again = await held.next();
    expect([again.target.url, again.context.attempt]).toEqual(["a", 2]);
    again.succeed();
    await settled();
    expect(jobRows(raw, id).targets).toEqual(["done"]);
    expect(lines.filter((line) => line.startsWith("target")).length).toBe(2);
  });
});

test("R8: no log line of a failing store holds the text of its error", async () => {
  const { refused, held, submit, log } = await startTroubled();
  refused.add("settle");
  await submit("ann", "a");
  (await held.next()).succeed();
  await settled();
  expect(log.text()).not.toMatch(/s3cret|secret\.example/);
});
