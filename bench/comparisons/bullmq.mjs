import { measure } from "../support/measure.mjs";
import { redisVersion, withRedis } from "../support/redis-server.mjs";
import { goal, interleave, pairedRatio, rows } from "../support/rounds.mjs";

export const title = "Beside BullMQ";
export const inside =
  "BullMQ on a Redis server of its own on the loopback interface, with and without its append-only file. Peak memory is the " +
  "client's alone.";

const METRICS = ["rate", "microseconds", "longestGapMs", "peakRssMb"];

export async function compare({ rounds, targets, jobs, redis }) {
  if (!redis || redisVersion() === undefined) return { skipped: redis ? "there is no redis-server" : "left out" };
  const entrants = {};
  for (const workers of [1, 2]) {
    const work = { targets, jobs, workers };
    const beside = (appendOnly) => withRedis({ appendOnly }, (port) => measure("bullmq", { ...work, port }));
    entrants[`fairbatch, ${workers}`] = () => measure("fairbatch", work);
    entrants[`BullMQ, ${workers}`] = () => beside(false);
    entrants[`BullMQ, ${workers}, append-only file`] = () => beside(true);
  }
  const measured = await interleave(rounds, entrants);
  const ratios = [1, 2].flatMap((workers) => [
    pairedRatio(measured, `fairbatch, ${workers}`, `BullMQ, ${workers}`),
    pairedRatio(measured, `fairbatch, ${workers}`, `BullMQ, ${workers}, append-only file`),
  ]);
  return {
    rows: rows(measured, METRICS),
    ratios,
    goals: ratios.map(({ name, median }) => goal(name, median, { atLeast: name.includes(", 1") ? 3 : 1.5 })),
  };
}
