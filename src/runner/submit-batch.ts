import { randomBytes } from "node:crypto";
import { unixSeconds } from "../clock.js";
import { BatchError } from "../errors.js";
import type { Admission, AdmissionRequest } from "../store/batch-store.js";
import type { Actors } from "./actors.js";
import { addLiveJob } from "./add-live-job.js";
import { saveEnds, sweep } from "./housekeeping.js";
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
  const { hooks, log, scope } = runtime;
  const throwIfUnwanted = () => {
    if (isClosing()) throw new BatchError("ERR_CLOSED");
    submission.throwIfAborted();
  };
  if (runtime.unsavedEnds.size > 0) {
    await saveEnds(runtime);
    throwIfUnwanted();
  }
  const request = { ...admissionRequest(runtime, submission), throwIfUnwanted };
  const admission = await admit(runtime, request);
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
  // From here on the job can be cancelled, watched and counted, though no worker was told of it yet.
  const job = addLiveJob(runtime, actors, newJob(runtime, submission, request));
  log.info("job created", { jobId: job.id, targets: submission.targets.length });
  hooks.job("created");
  const swept = sweep(runtime);
  // Not after the sweep: a job whose actor has not begun cannot be cancelled at once (R5).
  scope.outside(() => job.actor.start());
  await swept;
  return { id: job.id, reused: false };
}

/** R1.2: a failed job is not reused, though the row of one that failed in memory says that it is live until the store takes its end. */
async function admit(
  runtime: Runtime,
  request: AdmissionRequest & { throwIfUnwanted: () => void },
): Promise<Admission> {
  const { store, unsavedEnds } = runtime;
  const admission = await store.admit(request);
  const ended = admission.outcome === "reused" ? unsavedEnds.get(admission.id) : undefined;
  if (ended?.request.end !== "failed") return admission;
  request.throwIfUnwanted();
  await saveEnds(runtime);
  request.throwIfUnwanted();
  if (unsavedEnds.has(ended.job.id)) throw ended.refusal;
  return store.admit(request);
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

function newJob(
  { clock }: Runtime,
  { caller, callerName, callerClass, targets }: Submission,
  request: AdmissionRequest,
) {
  const { id, nowSeconds: createdAt } = request;
  const targetsTotal = targets.length;
  return { id, caller, callerName, callerClass, createdAt, submittedMs: clock.monotonic(), targetsTotal };
}

async function withdraw({ log, store }: Runtime, jobId: string): Promise<void> {
  try {
    await store.withdraw(jobId);
  } catch (error) {
    log.warn("the store refused to withdraw a job", { jobId, code: storeErrorCode(error) });
  }
}
