import type { LiveJob, Runner } from "./world.js";

/** R2: an idle worker takes the next turn: the live jobs in submit order, read round and round from the one taken last. */
export function takeTurn(runner: Runner): LiveJob | undefined {
  return take(
    runner,
    next(runner, ({ state }) => state === "ready"),
  );
}

/**
 * A worker takes its next turn as it goes to store for `job`. Jobs that are being stored for stand in their places, if they go
 * on: its own may be taken again; where another worker's is next, that has to be stored first.
 */
export function takeNextTurn(runner: Runner, job: LiveJob, hasMore: boolean): LiveJob | undefined {
  const found = next(runner, (other) => other.state === "ready" || other.standing || (other === job && hasMore));
  const turn = found?.standing ? undefined : take(runner, found);
  job.standing = hasMore && turn !== job;
  return turn;
}

function next({ jobs, lastPlace }: Runner, isDue: (job: LiveJob) => boolean): LiveJob | undefined {
  const due = [...jobs].filter(isDue).sort((a, b) => a.place - b.place);
  return due.find(({ place }) => place > lastPlace) ?? due[0];
}

function take(runner: Runner, job: LiveJob | undefined): LiveJob | undefined {
  if (job === undefined || runner.phase !== "open") return undefined;
  runner.lastPlace = job.place;
  job.state = "turn";
  return job;
}
