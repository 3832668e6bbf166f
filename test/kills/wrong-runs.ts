import type { Call, TroubledRun } from "./troubled-run.js";

/** Two of one job's first refusal and of its giving up, and one each of the sweep, the eviction and a late end. */
const WARNINGS_AT_MOST = 3 * 2 + 3;

/** What such a run may never show, whatever the trouble was; where it was mended in time, every job ends as without it. */
export function wrongWith(run: TroubledRun, mendedInTime: boolean): string[] {
  const { calls, hooks, jobs, targets } = run;
  const wrong: string[] = [];
  const expect = (holds: boolean, what: string) => holds || wrong.push(what);
  expect(run.unsound.length === 0, JSON.stringify(run.unsound));
  expect(run.warnings.length <= WARNINGS_AT_MOST, `${run.warnings.length} warnings`);
  expect(JSON.stringify(run.left) === '{"live":0,"inflight":0,"timers":0}', JSON.stringify(run.left));
  for (const [key, times] of run.answered) expect(times === 1, `${key} was answered ${times} times`);
  for (const [call, answer] of Object.entries(calls)) {
    expect(!/^error (?!SQLITE_)|no answer/.test(String(answer)), `${call}: ${answer}`);
  }
  const wasStored = (call: Call) => calls[call] !== undefined && !String(calls[call]).startsWith("error");
  const submitted = [
    ...(wasStored("submit ann") || wasStored("again") ? ["ann"] : []),
    ...(wasStored("submit bob") ? ["bob"] : []),
    ...(wasStored("submit cat") ? ["cat"] : []),
  ];
  expect(same(Object.keys(jobs).sort(), submitted), `submitted ${submitted}, stored ${Object.keys(jobs)}`);
  const ends = hooks.filter((line) => /^job (done|partial|failed|cancelled)$/.test(line));
  expect(
    same(
      ends.sort(),
      Object.values(jobs)
        .map((status) => `job ${status}`)
        .sort(),
    ),
    `told ${ends}, stored ${jobs}`,
  );
  const over = Object.values(targets)
    .flat()
    .filter((target) => target !== "pending");
  const told = hooks.filter((line) => line.startsWith("target "));
  expect(told.length === over.length, `told ${told}, stored ${JSON.stringify(targets)}`);
  if (mendedInTime) {
    const cancelled = calls.cancel === true;
    // The cancel may have come before its first target was fetched.
    const held = run.answered.has(`${calls["submit cat"]}/0`) ? "held/1" : "pending";
    const right: Record<string, [string, string[]]> = {
      ann: ["partial", ["fast/1", "failed: gone", "busy/3", "fast/4"]],
      bob: ["done", ["fast/1", "fast/2"]],
      cat: cancelled ? ["cancelled", [held, "pending"]] : ["done", ["held/1", "fast/2"]],
    };
    for (const name of submitted) {
      expect(same([jobs[name], targets[name]], right[name]), `${name}: ${jobs[name]} ${targets[name]}`);
    }
  }
  return wrong;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
