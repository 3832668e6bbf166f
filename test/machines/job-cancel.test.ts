import { describe, expect, test } from "vitest";
import {
  cancel,
  deferred,
  type JobState,
  RETRY_WAIT_MS,
  refused,
  started,
  stored,
  storedAgain,
  taken,
  unsaved,
  unstarted,
  wayTo,
} from "../support/job-steps.js";
import { startJob } from "../support/machine-actors.js";

const liveStates = (Object.keys(wayTo) as JobState[]).filter((state) => /^(queued|running)\./.test(state));

describe("R5: cancelling a job", () => {
  test.each(liveStates)("from %s: announced at once and once, no turn asked for after it, no timer left", (from) => {
    const { run, said, state, clock } = startJob();
    run(...wayTo[from]);
    said.length = 0;

    run(cancel);
    expect(said.filter((line) => line === "announceCancelled")).toEqual(["announceCancelled"]);
    if (state() !== "cancelled") run(cancel, stored("ok", "gone"));
    run(10 * RETRY_WAIT_MS);

    expect(state()).toBe("cancelled");
    expect(said.filter((line) => line.startsWith("announce"))).toEqual(["announceCancelled"]);
    expect(said.filter((line) => line.includes("job.ready"))).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test.each(liveStates)(
    "from %s: leaves the rotation in the same step where it is in it, or stands in its place",
    (from) => {
      const { run, said } = startJob();
      run(...wayTo[from]);
      said.length = 0;

      run(cancel);

      const left = /\.(ready|starting|inFlight)$/.test(from) ? ["parent <- job.left place=7"] : [];
      expect(said.toSorted()).toEqual(["announceCancelled", ...left]);
    },
  );

  test.each([
    ["is stored", [stored("ok", "gone")], 1],
    ["is put back to be tried later", [deferred(500, "gone")], 0],
    ["is stored, and the next one that was started with it is put back", [storedAgain(), deferred(500, "gone")], 1],
    ["is stored, and the next one that was to be started with it is refused", [storedAgain(), refused], 1],
    ["is stored, and the next one could not be started", [storedAgain(), unstarted], 1],
    ["could not be started", [unstarted], 0],
    ["was refused by the store", [refused], 0],
    [
      "is stored once the store answers again",
      [unsaved, RETRY_WAIT_MS, unsaved, RETRY_WAIT_MS, stored("ok", "gone")],
      1,
    ],
    ["is put back once the store answers again", [unsaved, RETRY_WAIT_MS, deferred(500, "gone")], 0],
  ])("the target in flight %s: then the job is over, and counted right", (_how, steps, targetsDone) => {
    const { job, run, state, clock } = startJob();
    run(taken, started, cancel);
    expect(job.getSnapshot().status).toBe("active");

    run(...steps);

    expect({ state: state(), status: job.getSnapshot().status }).toEqual({ state: "cancelled", status: "done" });
    expect(job.getSnapshot().context.targetsDone).toBe(targetsDone);
    expect(clock.pending).toBe(0);
  });

  test("with its last target in flight: cancelled, whatever the target comes to", () => {
    const { run, said, state } = startJob({ targetsTotal: 1 });

    run(taken, started, cancel, stored());

    expect(state()).toBe("cancelled");
    expect(said.filter((line) => line.startsWith("announce"))).toEqual(["announceCancelled"]);
  });

  test("between a worker's taking of the first target and its start: drains, and does not run", () => {
    const { job, run, state } = startJob();

    run(taken, cancel, started);

    expect(state()).toBe("draining.inFlight");
    expect(job.getSnapshot().matches("running")).toBe(false);
    run(stored());
    expect(state()).toBe("cancelled");
  });

  test("while its write is being tried: the answer ends it, and no second try follows", () => {
    const { run, said, state, clock } = startJob();
    run(...wayTo["running.saving.writing"]);
    said.length = 0;

    run(cancel, stored("ok", "gone"), 10 * RETRY_WAIT_MS);

    expect({ state: state(), said, timers: clock.pending }).toEqual({
      state: "cancelled",
      said: ["announceCancelled"],
      timers: 0,
    });
  });
});
