import type { Database } from "better-sqlite3";

/** Only a job that goes on from memory may leave such a target (R8): its outcome before is not in the rows yet. */
export const STARTED_AHEAD = "a target started before the one before it is stored";

export interface UnsoundRow {
  what: string;
  row: { job_id?: string };
}

/** Each finds rows that no instant of any run may leave in a file. */
const UNSOUND = {
  "a target that is half-written": `select * from batch_target where not case status
      when 'done' then json_valid(result) and error = '' and hint = ''
      when 'failed' then result is null and error <> ''
      when 'running' then result is null and error = '' and attempts > 0 and started_at_ms is not null
      when 'pending' then result is null and error = '' and hint = ''
      else false end`,
  "a target whose times are impossible": `select * from batch_target where not case
      when status in ('done', 'failed') then coalesce(finished_at_ms >= started_at_ms, attempts = 0)
      else finished_at_ms is null end`,
  "a job without all of its targets": `select * from batch_job where targets_total <>
      (select count(*) from batch_target where job_id = id and idx between 0 and targets_total - 1)`,
  "counts that the rows do not have": `select * from batch_job where
      targets_done <> (select count(*) from batch_target t where job_id = id and t.status in ('done', 'failed'))
      or targets_failed <> (select count(*) from batch_target t where job_id = id and t.status = 'failed')`,
  "a target stored before one that comes first": `select t.* from batch_target t join batch_job on job_id = id
      where (t.status in ('done', 'failed')) <> (idx < targets_done)`,
  [STARTED_AHEAD]: `select t.* from batch_target t join batch_job on job_id = id where (t.status = 'running' and idx <> targets_done) or (idx > targets_done and attempts > 0)`,
  "an end that the targets do not have": `select * from batch_job where not case status
      when 'queued' then targets_done = 0
        and not exists (select * from batch_target where job_id = id and attempts > 0)
      when 'running' then targets_done < targets_total
        and (targets_done > 0 or exists (select * from batch_target where job_id = id and attempts > 0))
      when 'done' then targets_done = targets_total and targets_failed = 0
      when 'partial' then targets_done = targets_total and targets_failed between 1 and targets_total - 1
      when 'failed' then (targets_done = targets_total and targets_failed = targets_total) or error = 'interrupted'
      when 'cancelled' then true
      else false end`,
  "a running target of an ended job": `select t.* from batch_target t join batch_job b on job_id = id
      where t.status = 'running' and b.status not in ('running', 'cancelled')`,
  "bytes that the rows do not have": `select * from batch_job where nbytes <>
      (select sum(octet_length(url) + octet_length(options) + coalesce(octet_length(result), 0)
        + octet_length(error) + octet_length(hint)) from batch_target where job_id = id)`,
  "totals that the jobs do not have": `select * from batch_total where
      live <> (select count(*) from batch_job where status in ('queued', 'running'))
      or nbytes <> (select coalesce(sum(nbytes), 0) from batch_job) or 1 <> (select count(*) from batch_total)`,
  "a caller's count that the jobs do not have": `select caller, count(*) as live from batch_job
      where status in ('queued', 'running') group by caller
      except select caller, live from batch_caller`,
  "a count of a caller with no live job": `select caller from batch_caller
      except select caller from batch_job where status in ('queued', 'running')`,
};

/** What is wrong with a store's rows by themselves, whatever was run on it; nothing where all is well. */
export function unsoundRows(raw: Database): UnsoundRow[] {
  const found: UnsoundRow[] = [];
  const look = (what: string, rows: unknown[]) => {
    for (const row of rows) found.push({ what, row: row as UnsoundRow["row"] });
  };
  const integrity = raw.pragma("integrity_check") as { integrity_check: string }[];
  look("integrity", integrity[0]?.integrity_check === "ok" ? [] : integrity);
  look("foreign keys", raw.pragma("foreign_key_check") as unknown[]);
  for (const [what, query] of Object.entries(UNSOUND)) look(what, raw.prepare(query).all());
  return found;
}
