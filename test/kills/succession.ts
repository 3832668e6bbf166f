import type { JobRow, Rows, TargetRow } from "./rows.js";

const isLive = ({ status }: JobRow) => status === "queued" || status === "running";
const isOver = ({ status }: TargetRow) => status === "done" || status === "failed";

/** What one life did to the rows of the life before that no life may do; `owned`: it came to own the file. */
export function wrongChanges(before: Rows, after: Rows, owned: boolean, resume: boolean): string[] {
  const wrong: string[] = [];
  for (const [id, job] of before.jobs) {
    const now = after.jobs.get(id);
    if (now === undefined || !mayBecome(job, now)) wrong.push(`job ${id}: ${describe(job)} -> ${describe(now)}`);
    else if (isLive(job) && (resume ? now.error !== "" : owned && now.error !== "interrupted")) {
      wrong.push(`job ${id} was left as ${describe(job)} and became ${describe(now)}`);
    }
  }
  for (const [key, target] of before.targets) {
    const what = wrongChange(target, after.targets.get(key), owned, before.jobs.get(target.job_id)?.status);
    if (what !== undefined) wrong.push(`target ${key} ${what}`);
  }
  return wrong;
}

function wrongChange(before: TargetRow, after: TargetRow | undefined, owned: boolean, jobStatus: string | undefined) {
  if (after === undefined) return "is lost";
  if (isOver(before) && !isSame(before, after)) return "changed after its end";
  if (after.attempts < before.attempts) return "lost attempts";
  if (jobStatus === "cancelled" && after.attempts !== before.attempts) return "ran after its job was cancelled";
  const interrupted = after.interruptions - before.interruptions;
  const wasRunning = before.status === "running";
  const recovered = wasRunning && !owned ? [0, 1] : [wasRunning ? 1 : 0];
  // A close that gave it up takes its interruption off beforehand.
  const possible = after.status === "running" ? recovered.flatMap((times) => [times, times - 1]) : recovered;
  return possible.includes(interrupted) ? undefined : `was interrupted ${interrupted} times by one death`;
}

/** An ended job keeps all but its lease, and a cancelled one may still be counting the target that was in flight. */
function mayBecome(before: JobRow, after: JobRow): boolean {
  const kept = { ...after, lease: before.lease };
  if (after.lease < before.lease) return false;
  if (!isLive(before)) return isSame(before, kept);
  const { id, caller, targets_total, created_at } = after;
  return isSame({ id, caller, targets_total, created_at }, pick(before)) && after.targets_done >= before.targets_done;
}

const pick = ({ id, caller, targets_total, created_at }: JobRow) => ({ id, caller, targets_total, created_at });

const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);

const describe = (job: JobRow | undefined) => job && `${job.status} ${job.error} ${job.targets_done}`;

export function liveJobs({ jobs }: Rows): JobRow[] {
  return [...jobs.values()].filter(isLive);
}

/** What is still to be fetched of live jobs, as `id/0 1`: job, index and the next attempt; not what death cut short too often. */
export function unfetchedTargets({ jobs, targets }: Rows, maxInterrupted: number): string[] {
  return [...targets]
    .filter(([, target]) => {
      const job = jobs.get(target.job_id);
      const interrupted = target.interruptions + (target.status === "running" ? 1 : 0);
      return job !== undefined && isLive(job) && !isOver(target) && interrupted < maxInterrupted;
    })
    .map(([key, { attempts }]) => `${key} ${attempts + 1}`)
    .sort();
}

export function runningTargets({ targets }: Rows): string[] {
  return [...targets].filter(([, { status }]) => status === "running").map(([key]) => key);
}
