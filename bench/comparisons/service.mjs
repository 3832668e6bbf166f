import { measure } from "../support/measure.mjs";
import { goal, interleave, rows } from "../support/rounds.mjs";

export const title = "A service under load";
export const inside =
  "`examples/service` in a process of its own, and clients that each submit a batch, read it every quarter of a second until it " +
  "has ended, cancel one in four, and think for up to two seconds. Every answer is checked, and in the end each job is read by " +
  "its owner and counted against the metrics: the run fails where one is wrong or lost.";

export async function compare({ clients, loadSeconds }) {
  const measured = await interleave(1, {
    [`${clients} clients`]: () => measure("service", { clients, seconds: loadSeconds }),
  });
  const [only] = [...measured.values()][0];
  const { accepted, targets, ends, errors, lost } = only;
  const counts = Object.entries(ends).map(([status, count]) => `${count} ${status}`);
  return {
    notes: [
      `${loadSeconds} s: ${accepted} jobs (${counts.join(", ")}), ${targets} targets, ${only.answered} requests.`,
    ],
    rows: rows(measured, ["requests", "jobs", "statusP50", "statusP99", "submitP99", "cancelP99"]),
    goals: [goal("requests that failed", errors, { atMost: 0 }), goal("jobs that were lost", lost, { atMost: 0 })],
  };
}
