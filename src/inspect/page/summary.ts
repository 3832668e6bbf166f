import type { ConnectionState } from "./connection.js";
import { byId, setAttributes, setText } from "./element.js";
import { stopwatch } from "./time-text.js";
import type { World } from "./world.js";

/** The head of the page: whether it is told anything, and how the whole stands. */
export function paintSummary(world: World, connection: ConnectionState, nowMs: number): void {
  const { text, tone } = connectionWords(world, connection);
  const pill = byId("connection");
  setText(pill, text);
  setAttributes(pill, { "data-tone": tone });
  byId("lost").hidden = connection !== "lost" || world.source === undefined;
  document.body.classList.toggle("stale", connection === "lost");

  let [done, total, failed, ended] = [0, 0, 0, 0];
  for (const job of world.jobs.values()) {
    done += job.targetsDone;
    total += job.targetsTotal;
    failed += job.targetsFailed;
    if (job.status !== "queued" && job.status !== "running") ended++;
  }
  const workers = [...world.actors.values()].filter(({ kind }) => kind === "worker");
  const busy = workers.filter(({ jobId }) => jobId !== undefined && jobId !== "").length;
  setText(byId("sum-live"), String(world.jobs.size - ended));
  setText(byId("sum-ended"), String(ended));
  setText(byId("sum-busy"), workers.length === 0 ? "–" : `${busy}/${workers.length}`);
  setText(byId("sum-stored"), `${done}/${total}`);
  setText(byId("sum-failed"), String(failed));
  setAttributes(byId("sum-failed"), { "data-some": failed > 0 });
  setText(byId("sum-time"), world.source === "runner" ? stopwatch(nowMs, 0) : "–");
}

function connectionWords(world: World, connection: ConnectionState): { text: string; tone: string } {
  if (connection === "lost") return { text: "reconnecting…", tone: "bad" };
  if (world.source === undefined) return { text: "connecting…", tone: "quiet" };
  return world.source === "store" ? { text: "store", tone: "storing" } : { text: "live", tone: "good" };
}
