import { describe, expect, test } from "vitest";
import type { SnapshotFrom } from "xstate";
import { type JobEvent, type JobInput, jobMachine, type ResumePoint } from "../../src/machines/job-machine.js";
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
} from "../support/job-steps.js";
import { type Step, startJob, stateName } from "../support/machine-actors.js";
import { type Path, pathsThrough } from "../support/machine-paths.js";
import { transitionName, uncovered } from "../support/machine-transitions.js";

const allStored = [stored("ok"), stored("failed"), stored("ok", "gone"), stored("failed", "gone")];
const allAgain = [storedAgain("ok"), storedAgain("failed")];
const allDeferred = [deferred(500), deferred(500, "gone")];
const answersOfWrite = [...allStored, ...allDeferred, unsaved];

/** What the workers, the store and the user can send a job in each state; its delays come from the machine. */
const possible: Record<JobState, JobEvent[]> = {
  "queued.ready": [taken, cancel],
  // A target whose start the store gave up, or whose row cannot be read, has failed without being started.
  "queued.starting": [
    ...[started, refused, unstarted, unsaved, cancel],
    ...[stored("failed"), stored("failed", "gone"), storedAgain("failed")],
  ],
  "queued.waiting": [cancel],
  "running.ready": [taken, cancel],
  "running.inFlight": [...answersOfWrite, ...allAgain, refused, unstarted, cancel],
  "running.waiting": [cancel],
  "running.saving.pausing": [cancel, saveNow],
  "running.saving.writing": [...answersOfWrite, cancel],
  "draining.inFlight": [...answersOfWrite, ...allAgain, started, refused, unstarted],
  "draining.saving.pausing": [...answersOfWrite, saveNow],
  "draining.saving.writing": answersOfWrite,
  done: [],
  partial: [],
  failed: [],
  cancelled: [],
};

/** The machine without its parent, which a walk through the definition does not have. */
const alone = jobMachine.provide({ actions: { announceReady: () => {}, leaveRotation: () => {} } });

function pathsOf(start: Pick<JobInput, "targetsTotal" | "resumePoint">): Path<typeof jobMachine, JobEvent>[] {
  const input = { jobId: "j1", place: 7, retryWaitMs: RETRY_WAIT_MS, ...start };
  return pathsThrough<typeof jobMachine, JobEvent>(
    alone as typeof jobMachine,
    input,
    // After its last target a worker has nothing of this job to go on with.
    (state) =>
      possible[stateName(state) as JobState].filter(
        (event) => !("again" in event) || state.context.targetsDone + 1 < state.context.targetsTotal,
      ),
    ({ context }) => [context.targetsDone, context.targetsFailed],
  );
}

/** The event, or how long the clock is to run where it is a delay's. */
function stepOf(event: JobEvent, before: SnapshotFrom<typeof jobMachine>): Step<JobEvent> {
  if (event.type.startsWith("xstate.after.storeRetryWait.")) return RETRY_WAIT_MS;
  return event.type.startsWith("xstate.after.wait.") ? before.context.waitMs : event;
}

/** What holds of a job at any time, from what was sent and what it said. */
function checkInvariants(under: ReturnType<typeof startJob>, sent: Step<JobEvent>[], resumePoint?: ResumePoint): void {
  const { job, said, clock, state } = under;
  const count = (text: string) => said.filter((line) => line.includes(text)).length;
  const times = (type: JobEvent["type"]) =>
    sent.filter((step) => typeof step === "object" && step.type === type).length;
  const now = state();
  const failures = sent.filter(
    (step) => typeof step === "object" && step.type === "target.stored" && step.failed,
  ).length;

  const lastOf = (text: string) => said.findLastIndex((line) => line.includes(text));
  const inRotation = lastOf("job.ready") > lastOf("job.left") && count("job.ready") > times("target.taken");
  expect({
    inRotation,
    cancelled: count("announceCancelled"),
    ended: count("announceEnd"),
    timers: clock.pending,
    targetsDone: job.getSnapshot().context.targetsDone,
    targetsFailed: job.getSnapshot().context.targetsFailed,
  }).toEqual({
    inRotation: now.endsWith(".ready"),
    cancelled: /^(draining|cancelled)/.test(now) ? 1 : 0,
    ended: ["done", "partial", "failed"].includes(now) ? 1 : 0,
    timers: /\.(waiting|pausing)$/.test(now) ? 1 : 0,
    targetsDone: (resumePoint?.targetsDone ?? 0) + times("target.stored"),
    targetsFailed: (resumePoint?.targetsFailed ?? 0) + failures,
  });
}

describe("every path that the world can take a job", () => {
  const seen = { states: new Set<string>(), transitions: new Set<string>() };

  test.each<[string, Pick<JobInput, "targetsTotal" | "resumePoint">]>([
    ["a new one of 1 target", { targetsTotal: 1 }],
    ["a new one of 2", { targetsTotal: 2 }],
    ["a new one of 3", { targetsTotal: 3 }],
    ["one left running", { targetsTotal: 3, resumePoint: { targetsDone: 1, targetsFailed: 1, waitMs: 0 } }],
    ["one left waiting", { targetsTotal: 2, resumePoint: { targetsDone: 0, targetsFailed: 0, waitMs: 700 } }],
  ])("%s: the actor follows the definition, and its invariants hold at each step", (_name, start) => {
    const paths = pathsOf(start);
    expect(paths.length).toBeGreaterThan(50);

    for (const path of paths) {
      const under = startJob(start);
      const sent: Step<JobEvent>[] = [];
      seen.states.add(under.state());
      for (const { event, state } of path) {
        const step = stepOf(event, under.job.getSnapshot());
        under.run(step);
        sent.push(step);
        expect(under.state(), JSON.stringify(sent)).toBe(stateName(state));
        checkInvariants(under, sent, start.resumePoint);
        seen.states.add(under.state());
      }
      for (const { transition } of under.transitions) seen.transitions.add(transitionName(transition));
    }
  });

  test("reaches every state and takes every transition", () => {
    expect(uncovered(jobMachine, seen)).toEqual({ states: [], transitions: [] });
  });
});
