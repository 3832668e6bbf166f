import type { Edge } from "./covering-walks.js";
import {
  closed,
  isOpen,
  jobLeft,
  jobReady,
  type TurnStanding,
  withJob,
  workerIdle,
  workerNumbers,
  workerStores,
} from "./turn-standing.js";
import type { TurnWorld } from "./turn-world.js";

export const RETRY_WAIT_MS = 1_000;

/** Something that happens to the jobs and workers of a runner, and how it is brought about. */
export interface TurnMove extends Edge<TurnStanding> {
  readonly make: (world: TurnWorld, at: TurnStanding) => unknown;
}

const submit: TurnMove = {
  name: "a job is submitted",
  leads: (at) => {
    const job = { is: "ready", stored: 0, dueMs: 0, cancelled: false } as const;
    return jobReady({ ...at, jobs: [...at.jobs, job] }, at.jobs.length);
  },
  make: (world) => world.submit(),
};

function succeeds(worker: number, place: number): TurnMove {
  return {
    name: `worker ${worker} has a result`,
    leads: (at) => {
      const stored = at.jobs[place]!.stored + 1;
      const hasMore = stored < at.sizes.targets && !at.jobs[place]!.cancelled;
      return workerStores(withJob(at, place, { stored }), worker, place, hasMore);
    },
    make: (world) => world.succeed(place),
  };
}

function asksForLater(worker: number, place: number): TurnMove {
  return {
    name: `worker ${worker} is asked to come later`,
    leads: (at) => {
      const over = at.jobs[place]!.cancelled;
      const job = over ? ({ is: "over" } as const) : ({ is: "waiting", dueMs: at.nowMs + RETRY_WAIT_MS } as const);
      return workerIdle(withJob(at, place, job), worker);
    },
    make: (world) => world.later(place),
  };
}

function cancel(place: number): TurnMove {
  return {
    name: `job ${place} is cancelled`,
    leads: (at) => {
      const { is } = at.jobs[place]!;
      const after = withJob(at, place, { cancelled: true, is: is === "taken" ? "taken" : "over" });
      return is === "ready" ? jobLeft(after, place) : after;
    },
    make: (world) => world.cancel(place),
  };
}

const close: TurnMove = { name: "the runner is closed", leads: closed, make: (world) => world.close() };

function nextDueMs({ jobs }: TurnStanding): number {
  return Math.min(...jobs.filter(({ is }) => is === "waiting").map(({ dueMs }) => dueMs));
}

const waitOver: TurnMove = {
  name: "a wait is over",
  leads: (at) => {
    const nowMs = nextDueMs(at);
    const due = at.jobs.flatMap(({ is, dueMs }, place) => (is === "waiting" && dueMs === nowMs ? [place] : []));
    return due.reduce(jobReady, { ...at, nowMs });
  },
  make: (world, at) => world.advance(nextDueMs(at) - at.nowMs),
};

/** Two waits that are over at once would be told in the order they began, which a standing does not hold: no such moves. */
export function turnMoves(at: TurnStanding): TurnMove[] {
  const busy = workerNumbers(at).flatMap((worker) => {
    const place = at.workers[worker];
    return place === undefined ? [] : [{ worker, place }];
  });
  const waiting = at.jobs.filter(({ is }) => is === "waiting");
  const fetches = busy.flatMap(({ worker, place }) => [
    succeeds(worker, place),
    ...(waiting.length === 0 && isOpen(at) ? [asksForLater(worker, place)] : []),
  ]);
  if (!isOpen(at)) return fetches;
  const live = at.jobs.flatMap(({ is, cancelled }, place) => (is === "over" || cancelled ? [] : [place]));
  return [
    ...(at.jobs.length < at.sizes.jobs ? [submit] : []),
    ...fetches,
    ...live.map(cancel),
    ...(waiting.length > 0 ? [waitOver] : []),
    close,
  ];
}
