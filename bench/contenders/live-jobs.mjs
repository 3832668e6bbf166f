// What a submit, a cancel and a target cost beside so many live jobs, a share of which wait to retry.
// Before it, the same on a small scale elsewhere, so that few jobs are not measured with colder code than many.
import { join } from "node:path";
import { contend } from "../support/contend.mjs";
import { heldRunner } from "../support/held-runner.mjs";

const NEW_JOB_TARGETS = 2;

await contend(async ({ folder, live, waitingShare, targets, submits, warmUp }) => {
  await costs(join(folder, "warm.sqlite"), {
    live: Math.min(100, live),
    waitingShare,
    targets: warmUp,
    submits: warmUp,
  });
  return costs(join(folder, "live.sqlite"), { live, waitingShare, targets, submits });
});

async function costs(path, { live, waitingShare, targets, submits }) {
  const stored = countTo(targets);
  const held = await heldRunner(path, { target: stored.count });
  const waiting = Math.floor(live * waitingShare);
  const ready = live - waiting;
  await held.addWaiting(waiting);
  await held.addReady(ready, Math.ceil(targets / ready) + 2);
  const news = Array.from({ length: submits }, () => held.batch("new", NEW_JOB_TARGETS));
  const ids = [];
  const submitted = await microsecondsEach(submits, async (number) => {
    ids.push((await held.runner.submit(news[number])).id);
  });
  const cancelled = await microsecondsEach(submits, async (number) => {
    if (!(await held.runner.cancel(ids[number]))) throw new Error("was not live");
  });
  const beganMs = performance.now();
  stored.begin();
  held.release();
  await stored.reached;
  const tookMs = performance.now() - beganMs;
  await held.end();
  return { target: (tookMs * 1000) / targets, submit: submitted, cancel: cancelled };
}

async function microsecondsEach(times, work) {
  const beganMs = performance.now();
  for (let time = 0; time < times; time++) await work(time);
  return ((performance.now() - beganMs) * 1000) / times;
}

function countTo(targets) {
  let left = Number.POSITIVE_INFINITY;
  let reach;
  const reached = new Promise((resolve) => {
    reach = resolve;
  });
  return {
    reached,
    begin() {
      left = targets;
    },
    count() {
      if (--left === 0) reach();
    },
  };
}
