import { expect, test } from "vitest";
import { type JobEvent, jobMachine } from "../../src/machines/job-machine.js";
import {
  cancel,
  deferred,
  type JobState,
  RETRY_WAIT_MS,
  refused,
  saveNow,
  started,
  stored,
  storedAgain,
  taken,
  unsaved,
  unstarted,
  wayTo,
} from "../support/job-steps.js";
import { type Step, startJob } from "../support/machine-actors.js";
import { transitionName, transitionsOf } from "../support/machine-transitions.js";

const READY = "parent <- job.ready place=7 jobId=j1 job=job";
const LEFT = "parent <- job.left place=7";
const CANCELLED = "announceCancelled";

/** From, what happens, to, what the job says meanwhile. Whatever a worker, the runner or the clock can do in a state is here. */
const table: [from: JobState, step: Step<JobEvent>, to: JobState, says: string[]][] = [
  ["queued.ready", taken, "queued.starting", []],
  ["queued.ready", cancel, "cancelled", [LEFT, CANCELLED]],

  ["queued.starting", started, "running.inFlight", []],
  ["queued.starting", refused, "cancelled", [CANCELLED]],
  ["queued.starting", unstarted, "queued.waiting", []],
  ["queued.starting", stored("failed"), "running.ready", [READY]],
  ["queued.starting", storedAgain("failed"), "running.inFlight", []],
  ["queued.starting", stored("failed", "gone"), "cancelled", [CANCELLED, LEFT]],
  ["queued.starting", unsaved, "running.saving.pausing", [LEFT]],
  ["queued.starting", cancel, "draining.inFlight", [CANCELLED, LEFT]],

  ["queued.waiting", RETRY_WAIT_MS - 1, "queued.waiting", []],
  ["queued.waiting", RETRY_WAIT_MS, "queued.ready", [READY]],
  ["queued.waiting", cancel, "cancelled", [CANCELLED]],

  ["running.ready", taken, "running.inFlight", []],
  ["running.ready", cancel, "cancelled", [LEFT, CANCELLED]],

  ["running.inFlight", stored(), "running.ready", [READY]],
  ["running.inFlight", stored("failed"), "running.ready", [READY]],
  ["running.inFlight", storedAgain(), "running.inFlight", []],
  ["running.inFlight", storedAgain("failed"), "running.inFlight", []],
  ["running.inFlight", stored("ok", "gone"), "cancelled", [CANCELLED, LEFT]],
  ["running.inFlight", deferred(500), "running.waiting", []],
  ["running.inFlight", deferred(500, "gone"), "cancelled", [CANCELLED]],
  ["running.inFlight", refused, "cancelled", [CANCELLED]],
  ["running.inFlight", unstarted, "running.waiting", []],
  ["running.inFlight", unsaved, "running.saving.pausing", [LEFT]],
  ["running.inFlight", cancel, "draining.inFlight", [CANCELLED, LEFT]],

  ["running.waiting", 499, "running.waiting", []],
  ["running.waiting", 500, "running.ready", [READY]],
  ["running.waiting", cancel, "cancelled", [CANCELLED]],

  ["running.saving.pausing", RETRY_WAIT_MS - 1, "running.saving.pausing", []],
  ["running.saving.pausing", RETRY_WAIT_MS, "running.saving.writing", ["saveTarget"]],
  ["running.saving.pausing", saveNow, "running.saving.writing", ["saveTarget"]],
  ["running.saving.pausing", cancel, "draining.saving.pausing", [CANCELLED]],

  ["running.saving.writing", unsaved, "running.saving.pausing", []],
  ["running.saving.writing", stored(), "running.ready", [READY]],
  ["running.saving.writing", stored("ok", "gone"), "cancelled", [CANCELLED, LEFT]],
  ["running.saving.writing", deferred(500), "running.waiting", []],
  ["running.saving.writing", deferred(500, "gone"), "cancelled", [CANCELLED]],
  ["running.saving.writing", cancel, "draining.saving.pausing", [CANCELLED]],

  ["draining.inFlight", stored("ok", "gone"), "cancelled", []],
  ["draining.inFlight", stored("failed", "live"), "cancelled", []],
  ["draining.inFlight", storedAgain(), "draining.inFlight", []],
  ["draining.inFlight", deferred(500, "gone"), "cancelled", []],
  ["draining.inFlight", deferred(500, "live"), "cancelled", []],
  ["draining.inFlight", refused, "cancelled", []],
  ["draining.inFlight", unstarted, "cancelled", []],
  ["draining.inFlight", started, "draining.inFlight", []],
  ["draining.inFlight", unsaved, "draining.saving.pausing", []],

  ["draining.saving.pausing", RETRY_WAIT_MS - 1, "draining.saving.pausing", []],
  ["draining.saving.pausing", RETRY_WAIT_MS, "draining.saving.writing", ["saveTarget"]],
  ["draining.saving.pausing", saveNow, "draining.saving.writing", ["saveTarget"]],
  ["draining.saving.pausing", unsaved, "draining.saving.pausing", []],
  ["draining.saving.pausing", stored("ok", "gone"), "cancelled", []],
  ["draining.saving.pausing", deferred(500, "gone"), "cancelled", []],

  ["draining.saving.writing", unsaved, "draining.saving.pausing", []],
  ["draining.saving.writing", stored("ok", "gone"), "cancelled", []],
  ["draining.saving.writing", deferred(500, "gone"), "cancelled", []],
];

test.each(Object.entries(wayTo))("there is a way into %s", (state, steps) => {
  const { run, state: now } = startJob();

  run(...steps);

  expect(now()).toBe(state);
});

const named = table.map((row) => [`${row[0]}, ${JSON.stringify(row[1])}: ${row[2]}`, ...row] as const);

test.each(named)("%s", (_name, from, step, to, says) => {
  const { run, said, state } = startJob();
  run(...wayTo[from]);
  said.length = 0;

  run(step);

  expect({ state: state(), said: said.toSorted() }).toEqual({ state: to, said: says.toSorted() });
});

const leftRunning = { targetsDone: 1, targetsFailed: 1, waitMs: 0 };

test("a job that was left running goes on in the rotation, and one that was left waiting waits on", () => {
  const ready = startJob({ resumePoint: leftRunning });
  const waiting = startJob({ resumePoint: { ...leftRunning, waitMs: 700 } });
  expect([ready.state(), ready.said, waiting.state(), waiting.said]).toEqual([
    "running.ready",
    [READY],
    "running.waiting",
    [],
  ]);
  waiting.run(699);
  expect(waiting.state()).toBe("running.waiting");
  waiting.run(1);
  expect([waiting.state(), waiting.said]).toEqual(["running.ready", [READY]]);
  for (const { run, state, job } of [ready, waiting]) {
    run(taken, stored(), taken, stored());
    expect([state(), job.getSnapshot().context]).toMatchObject(["partial", { targetsDone: 3, targetsFailed: 1 }]);
  }
});

test("the table leaves out no live state, and no transition but the ends after a last target", () => {
  const seen = table.flatMap(([from, step]) => {
    const { run, transitions } = startJob();
    run(...wayTo[from], step);
    return transitions.map(({ transition }) => transitionName(transition));
  });
  for (const waitMs of [0, 1]) {
    const { transitions } = startJob({ resumePoint: { ...leftRunning, waitMs } });
    seen.push(...transitions.map(({ transition }) => transitionName(transition)));
  }

  const ends = ["done", "partial", "failed", "cancelled"];
  expect([...new Set<string>(table.map(([from]) => from)), ...ends]).toEqual(Object.keys(wayTo));
  expect(transitionsOf(jobMachine).filter((name) => !seen.includes(name) && !name.includes("[ends"))).toEqual([]);
});
