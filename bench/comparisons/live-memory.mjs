import { measure } from "../support/measure.mjs";
import { goal, interleave, rows } from "../support/rounds.mjs";

export const title = "Memory of live jobs";
export const inside = "JavaScript heap that a live job holds, garbage collected, in bytes.";

export async function compare({ rounds, memoryJobs }) {
  const flags = ["--expose-gc"];
  const measured = await interleave(Math.min(rounds, 3), {
    "ready to run": () => measure("live-memory", { live: memoryJobs, waiting: false }, flags),
    "waiting to retry": () => measure("live-memory", { live: memoryJobs, waiting: true }, flags),
  });
  const all = rows(measured, ["bytes"]);
  return {
    notes: [`${memoryJobs} jobs.`],
    rows: all,
    goals: all.map(({ name, bytes }) => goal(`KB a live job, ${name}`, bytes.median / 1024, { atMost: 8 })),
  };
}
