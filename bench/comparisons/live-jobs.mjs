import { measure } from "../support/measure.mjs";
import { goal, interleave, pairedRatio, rows } from "../support/rounds.mjs";

export const title = "Beside many live jobs";
export const inside =
  "Microseconds a target, a submit (of two targets) and a cancel while so many jobs are live; and the same while 90 % of them " +
  "wait to retry. In a warm process.";

const METRICS = ["target", "submit", "cancel"];

export async function compare({ rounds, targets, submits, warmUp, live }) {
  const entrants = {};
  for (const count of live) {
    entrants[`${count} live`] = () => measure("live-jobs", { live: count, waitingShare: 0, targets, submits, warmUp });
    entrants[`${count} live, 90 % wait`] = () =>
      measure("live-jobs", { live: count, waitingShare: 0.9, targets, submits, warmUp });
  }
  const measured = await interleave(Math.min(rounds, 3), entrants);
  const ratio = (count, beside, metric, kind = "") =>
    pairedRatio(measured, `${count} live${kind}`, `${beside} live${kind}`, metric);
  const [few, some] = live;
  const most = live.at(-1);
  const [target, submit, ...others] = [
    ratio(most, few, "target"),
    ratio(most, some, "submit"),
    ratio(most, some, "cancel"),
    ratio(most, few, "target", ", 90 % wait"),
    ratio(most, some, "submit", ", 90 % wait"),
    ratio(most, some, "cancel", ", 90 % wait"),
  ];
  return {
    rows: rows(measured, METRICS),
    ratios: [target, submit, ...others],
    goals: [
      goal(`a target at ${most} live jobs beside ${few}`, target.median, { atMost: 1.4 }),
      goal(`a target at ${most} live jobs beside ${few}, 90 % waiting`, others[1].median, { atMost: 1.4 }),
      goal(`a submit at ${most} live jobs beside ${some}`, submit.median, { atMost: 2 }),
    ],
  };
}
