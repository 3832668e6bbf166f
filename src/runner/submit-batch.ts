import { randomBytes } from "node:crypto";
import { unixSeconds } from "../clock.js";
import { BatchError } from "../errors.js";
import type { AdmissionRequest } from "../store/batch-store.js";
import type { Actors } from "./actors.js";
import { saveEnds, sweep } from "./housekeeping.js";
import type { LiveJob } from "./live-job.js";
import { storeErrorCode } from "./log.js";
import type { Submission } from "./read-batch.js";
import type { Runtime } from "./runtime.js";

/** Has a submission admitted by the store and puts its job to work (R1). `isClosing` is asked again after each wait. */
export async function submitBatch(
  runtime: Runtime,
  actors: Actors,
  submission: Submission,
  isClosing: () => boolean,
): Promise<{ id: string; reused: boolean }> {
  const { hooks, log, scope, store } = runtime;
  if (runtime.unsavedEnds.size > 0) {
    await saveEnds(runtime);
    if (isClosing()) throw new BatchError("ERR_CLOSED");
  }
  const request = admissionRequest(runtime, submission);
  const admission = await store.admit(request);
  if (admission.outcome === "refused") throw new BatchError(admission.code, admission);
  if (admission.outcome === "reused") {
    log.debug("job reused", { jobId: admission.id });
    hooks.job("reused");
    return { id: admission.id, reused: true };
  }
  if (runtime.phase !== "open") {
    await withdraw(runtime, request.id);
    throw new BatchError("ERR_CLOSED");
  }
  const job = addLiveJob(runtime, actors, submission, request);
  log.info("job created", { jobId: job.id, targets: submission.targets.length });
  hooks.job("created");
  await sweep(runtime);
  scope.outside(() => job.actor.start());
  return { id: job.id, reused: false };
}

function admissionRequest({ clock, settings }: Runtime, submission: Submission): AdmissionRequest {
  const { callerName, callerClass, idempotencyKey, targets } = submission;
  return {
    id: randomBytes(16).toString("hex"),
    caller: callerName,
    callerClass,
    idempotencyKey,
    targets,
    nowSeconds: unixSeconds(clock),
    ttlMs: settings.ttlMs,
    limits: settings,
  };
}

/** From here on the job can be cancelled, watched and counted, though no worker was told of it yet. */
function addLiveJob(
  runtime: Runtime,
  actors: Actors,
  { caller, callerName, callerClass, targets }: Submission,
  { id, nowSeconds }: AdmissionRequest,
): LiveJob {
  const { clock, gauges, jobs, settings, unannounced } = runtime;
  const actor = actors.createJob({ jobId: id, targetsTotal: targets.length, retryWaitMs: settings.retryWaitMs });
  const job: LiveJob = {
    id,
    caller,
    callerName,
    callerClass,
    createdAt: nowSeconds,
    submittedMs: clock.monotonic(),
    actor,
    goesOnFromMemory: false,
    unsaved: [],
  };
  actor.subscribe({ complete: () => jobs.delete(id) });
  jobs.set(id, job);
  unannounced.add(id);
  gauges.addLive(1);
  return job;
}

async function withdraw({ log, store }: Runtime, jobId: string): Promise<void> {
  try {
    await store.withdraw(jobId);
  } catch (error) {
    log.warn("the store refused to withdraw a job", { jobId, code: storeErrorCode(error) });
  }
}
