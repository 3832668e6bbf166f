import { ask, opName, type Runner } from "./world.js";

/** R3: whatever brings the bytes above `maxBytes` is followed by eviction. */
export function afterEviction(runner: Runner, bytes: number, then: () => void): void {
  const { rows, settings, note } = runner.world;
  if (bytes <= settings.maxBytes || runner.phase === "closed") {
    then();
    return;
  }
  const evict = () => {
    if (rows.evict(settings.maxBytes) > 0) note("evicted");
  };
  ask(runner, opName("evict", settings.maxBytes), evict, { answered: then, refused: then });
}
