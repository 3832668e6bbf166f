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

  const { ended, targetsTotal, targetsDone, targetsFailed } = world.totals;
  const workers = [...world.staff.values()].filter(({ kind }) => kind === "worker");
  const busy = workers.filter(({ jobId }) => jobId !== undefined && jobId !== "").length;
  setText(byId("sum-live"), String(world.jobs.size - ended));
  setText(byId("sum-ended"), String(ended));
  setText(byId("sum-busy"), workers.length === 0 ? "–" : `${busy}/${workers.length}`);
  setText(byId("sum-stored"), `${targetsDone}/${targetsTotal}`);
  setText(byId("sum-failed"), String(targetsFailed));
  setAttributes(byId("sum-failed"), { "data-some": targetsFailed > 0 });
  setText(byId("sum-time"), world.source === "runner" ? stopwatch(nowMs, 0) : "–");
}

function connectionWords(world: World, connection: ConnectionState): { text: string; tone: string } {
  if (connection === "ended") return { text: "ended", tone: "quiet" };
  if (connection === "lost") return { text: "reconnecting…", tone: "bad" };
  if (world.source === undefined) return { text: "connecting…", tone: "quiet" };
  return world.source === "store" ? { text: "store", tone: "storing" } : { text: "live", tone: "good" };
}
