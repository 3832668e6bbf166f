import { afterAll, expect, onTestFinished, test } from "vitest";
import { openSqliteStore } from "../../src/index.js";
import { isLongRun } from "../support/long-run.js";
import { type SeededRandom, seededRandom } from "../support/seeded-random.js";
import { freshPath } from "../support/stores.js";
import { drawAim, drawBatches } from "./draw.js";
import { Elsewhere } from "./elsewhere.js";
import { History } from "./history.js";
import { type Aim, liveOnce } from "./life.js";
import { type Rows, readRows } from "./rows.js";
import { openSite } from "./site.js";
import { liveJobs, runningTargets, unfetchedTargets, wrongChanges } from "./succession.js";
import { takeOver } from "./takeover.js";

const KILLS_A_FILE = 5;
const FILES = isLongRun ? 40 : 4;
const MAX_INTERRUPTED = 3;
const SEED = Number(process.env.FAIRBATCH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const NOTHING_WRONG = {
  contradictions: [],
  missing: [],
  unsound: [],
  wrongChanges: [],
  wrongAttempts: [],
  wronglyCut: [],
  leftByClose: [],
  torn: [],
};
const deaths = new Map<string, number>();
const totals = { kills: 0, jobs: 0, stored: 0, interrupted: 0, cancelledElsewhere: 0 };

interface Owners {
  path: string;
  elsewhere: Elsewhere | undefined;
  site: string;
  workers: number;
  resume: boolean;
}

async function lookFromElsewhere(path: string, random: SeededRandom): Promise<Elsewhere> {
  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  return new Elsewhere(store, random);
}

/** Lets one process after the other die on a file, and holds the rows of each death against all that was told until then. */
async function dieOften({ elsewhere, ...owners }: Owners, random: SeededRandom, history: History): Promise<Rows> {
  let before = readRows(owners.path);
  for (let life = 0; life < KILLS_A_FILE; life++) {
    const aim = drawAim(random, life);
    const batches = drawBatches(random, life);
    const options = { ...owners, seed: random(2 ** 30), meddles: true, aim, batches };
    const told = await liveOnce(options, (message) => elsewhere?.hear(message));
    await elsewhere?.answered();
    const rows = readRows(owners.path);
    const contradictions = history.addLife(told);
    history.addCancelled(elsewhere?.cancelled ?? []);
    const wronglyCut = history.addDeath(rows, told);
    const owned = told.some((message) => message.told === "owned");
    expect({
      contradictions,
      missing: history.missingFrom(rows),
      unsound: rows.unsound,
      wrongChanges: wrongChanges(before, rows, owned, owners.resume),
      wrongAttempts: history.wrongAttempts(rows),
      wronglyCut,
      leftByClose: told.at(-1)?.told === "closed" && !aim.drains ? runningTargets(rows) : [],
      torn: elsewhere?.torn ?? [],
    }).toEqual(NOTHING_WRONG);
    before = rows;
    const death = `${aim.moment}: ${told.at(-1)?.told}`;
    deaths.set(death, (deaths.get(death) ?? 0) + 1);
    totals.kills++;
  }
  return before;
}

test.each(
  Array.from({ length: FILES }, (_, file) => ({
    file: file + 1,
    workers: 1 + (file % 2),
    resume: file % 4 > 1,
    isWatched: file % 3 === 2,
  })),
)(
  "section 2, R3, R4: killed at any instant, a file keeps all that was told of it, and its jobs are taken over: $file, $workers workers, resume $resume",
  {
    timeout: 60_000,
  },
  async ({ file, workers, resume, isWatched }) => {
    const random = seededRandom(SEED + file);
    const { origin } = await openSite();
    const path = freshPath();
    const elsewhere = isWatched ? await lookFromElsewhere(path, random) : undefined;
    const owners = { path, site: origin, workers, resume, elsewhere };
    const history = new History();
    const left = await dieOften(owners, random, history);

    const takeover = await takeOver(owners.path, resume);
    const rows = readRows(owners.path);
    expect({ ...takeover, fetched: takeover.fetched.sort() }).toEqual({
      fetched: resume ? unfetchedTargets(left, MAX_INTERRUPTED) : [],
      toldAtStart: resume ? 0 : liveJobs(left).length,
      admitted: 6,
    });
    expect({
      live: liveJobs(rows),
      missing: history.missingFrom(rows),
      unsound: rows.unsound,
      wrongChanges: wrongChanges(left, rows, true, resume),
      wrongInterruptions: history.wrongInterruptions(rows),
    }).toEqual({ live: [], missing: [], unsound: [], wrongChanges: [], wrongInterruptions: [] });
    totals.jobs += history.jobs;
    totals.stored += history.storedTargets;
    totals.interrupted += history.cutShort;
    totals.cancelledElsewhere += elsewhere?.cancelled.length ?? 0;
  },
);

test("section 2: a page that kills its process is failed as `interrupted` after three deaths, and the rest of its job is done", async () => {
  const { origin } = await openSite();
  const path = freshPath();
  const aim: Aim = { moment: "idle", nth: 0, statements: 0, edge: "before", afterMs: 0, drains: false };
  const batches = [
    { caller: "ann", urls: ["/fast/1", "/poison/2", "/fast/3"] },
    { caller: "bob", urls: ["/fast/4", "/fast/5", "/fast/6"] },
  ];
  const lives: string[] = [];
  for (let life = 0; life < 5 && lives.at(-1) !== "idle"; life++) {
    const options = { path, site: origin, seed: 1, workers: 1, resume: true, meddles: false, aim };
    const told = await liveOnce({ ...options, batches: life === 0 ? batches : [] });
    lives.push(told.at(-1)?.told ?? "");
  }
  const { jobs, targets, unsound } = readRows(path);
  const rows = [...jobs.values()].map((job) => ({
    ends: `${job.caller} ${job.status}`,
    targets: [...targets.values()]
      .filter(({ job_id }) => job_id === job.id)
      .map((target) => `${target.status} ${target.error} ${target.attempts} ${target.interruptions}`),
  }));
  expect({ lives, rows, unsound }).toEqual({
    lives: ["fetch", "fetch", "fetch", "idle"],
    rows: [
      { ends: "ann partial", targets: ["done  1 0", "failed interrupted 3 3", "done  1 0"] },
      { ends: "bob done", targets: ["done  1 0", "done  1 0", "done  1 0"] },
    ],
    unsound: [],
  });
});

afterAll(() => console.log(`FAIRBATCH_SEED=${SEED}`, totals, Object.fromEntries([...deaths].sort())));
