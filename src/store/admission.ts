import type { Database } from "better-sqlite3";
import type { Admission, AdmissionRequest } from "./batch-store.js";
import type { jobStatements } from "./job-statements.js";
import type { targetStatements } from "./target-statements.js";

type Jobs = ReturnType<typeof jobStatements>;
type Targets = ReturnType<typeof targetStatements>;

/** Decides a submit in one transaction (R1.2 to R1.4): reuse, else the caps in their order, else a new job with its targets. */
export function admission(database: Database, jobs: Jobs, targets: Targets) {
  const admit = database.transaction((request: AdmissionRequest): Admission => {
    const { caller, idempotencyKey } = request;
    const oldestLease = request.nowSeconds - request.ttlMs / 1000;
    const reusable = jobs.findReusable.first({ caller, idempotencyKey, oldestLease });
    if (reusable !== undefined) return { outcome: "reused", id: reusable.id };
    const refused = refusal(request, jobs);
    if (refused !== undefined) return refused;
    insert(request, jobs, targets);
    return { outcome: "created" };
  });
  return (request: AdmissionRequest) => admit.immediate(request);
}

function refusal({ caller, targets, limits }: AdmissionRequest, jobs: Jobs): Admission | undefined {
  if (targets.length > limits.targetsPerJob) {
    return refused("ERR_TOO_MANY_TARGETS", limits.targetsPerJob, targets.length);
  }
  const ofCaller = jobs.liveOfCaller.first({ caller })?.live ?? 0;
  if (ofCaller >= limits.jobsPerCaller) return refused("ERR_CALLER_BUSY", limits.jobsPerCaller, ofCaller);
  const inAll = jobs.totals.first({})?.live ?? 0;
  if (inAll >= limits.jobsTotal) return refused("ERR_BUSY", limits.jobsTotal, inAll);
  return undefined;
}

function refused(code: Extract<Admission, { outcome: "refused" }>["code"], limit: number, count: number): Admission {
  return { outcome: "refused", code, limit, count };
}

function insert(request: AdmissionRequest, jobs: Jobs, targets: Targets): void {
  const { id, caller, callerClass, idempotencyKey, nowSeconds } = request;
  let nbytes = 0;
  for (const target of request.targets) nbytes += Buffer.byteLength(target.url) + Buffer.byteLength(target.options);
  jobs.insert.run({
    id,
    caller,
    callerClass,
    idempotencyKey,
    targetsTotal: request.targets.length,
    nowSeconds,
    nbytes,
  });
  request.targets.forEach(({ url, options }, index) => {
    targets.insert.run({ jobId: id, index, url, options });
  });
}
