import fc from "fast-check";
import { ANSWERS, type AnswerName } from "./answers.js";
import { BATCHES, type BatchName } from "./batches.js";
import type { Settings } from "./world.js";

/** What people ask of a runner. */
export type Command =
  | { do: "submit"; caller: string; batch: BatchName; aborted: boolean }
  | { do: "cancel" | "touch"; job: number }
  | { do: "close"; drain: boolean; limitMs: number };

/** One thing that may happen. What does not fit the moment is skipped, so that a sequence can be shrunk by leaving moves out. */
export type Move =
  | Command
  | { do: "answer"; call: number; how: AnswerName }
  | { do: "cancel elsewhere" | "lose"; job: number }
  | { do: "pass"; ms: number }
  | { do: "set wall clock"; ms: number }
  | { do: "open"; resumes: readonly string[] | undefined }
  | { do: "die" | "mend" }
  | { do: "refuse"; method: string; times: number }
  | { do: "pick"; which: number; halfway: boolean };

const EVERYBODY = ["ann", "bob", "cé"];

const caller = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...EVERYBODY) },
  { weight: 1, arbitrary: fc.constant("") },
);

const good = Object.keys(BATCHES).filter((name) => BATCHES[name]?.rejects === undefined);
const bad = Object.keys(BATCHES).filter((name) => BATCHES[name]?.rejects !== undefined);
const batch = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...good) },
  { weight: 1, arbitrary: fc.constantFrom(...bad) },
);

const aborted = fc.nat(15).map((number) => number === 15);
const submit = fc.record({ do: fc.constant("submit" as const), caller, batch, aborted });
const how = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("ok" as const, "later" as const, "later and long" as const) },
  { weight: 3, arbitrary: fc.constantFrom(...(Object.keys(ANSWERS) as AnswerName[])) },
);
const answer = fc.record({ do: fc.constant("answer" as const), call: fc.nat(7), how });
const about = fc.record({
  do: fc.constantFrom(
    "cancel" as const,
    "cancel" as const,
    "cancel" as const,
    "touch" as const,
    "cancel elsewhere",
    "lose",
  ),
  job: fc.nat(5),
}) as fc.Arbitrary<Extract<Move, { job: number }>>;
const pass = fc.record({
  do: fc.constant("pass" as const),
  ms: fc.constantFrom(0, 1, 250, 500, 999, 1_000, 1_000, 1_000, 2_500, 2_501, 3_000, 11_000),
});
const setWallClock = fc.record({
  do: fc.constant("set wall clock" as const),
  ms: fc.constantFrom(-3_600_000, -5_000, 5_000, 11_000, 3_600_000),
});
const close = fc.record({
  do: fc.constant("close" as const),
  drain: fc.boolean(),
  limitMs: fc.constantFrom(0, 0, 1_500),
});
const refuse = fc.record({
  do: fc.constant("refuse" as const),
  method: fc.constantFrom(
    ...["start", "settle", "defer", "start", "settle", "defer", "admit"],
    ...["cancel", "touch", "sweep", "evict", "withdraw", "left", "recover"],
  ),
  times: fc.constantFrom(1, 3, 6, 9),
});
const open = fc.record({
  do: fc.constant("open" as const),
  resumes: fc.constantFrom(undefined, EVERYBODY, EVERYBODY, ["ann"]),
});
const dieOrMend = fc.record({ do: fc.constantFrom("die" as const, "mend" as const) });
const pick = fc.record({ do: fc.constant("pick" as const), which: fc.nat(11), halfway: fc.boolean() });

const commands = [
  { weight: 9, arbitrary: submit },
  { weight: 13, arbitrary: answer },
  { weight: 5, arbitrary: about },
  { weight: 7, arbitrary: pass },
  { weight: 1, arbitrary: setWallClock },
  { weight: 1, arbitrary: close },
  { weight: 4, arbitrary: open },
  { weight: 1, arbitrary: dieOrMend },
  { weight: 2, arbitrary: refuse },
];

const oldest: Move = { do: "pick", which: 0, halfway: false };
const picks = (count: number): Move[] => Array.from({ length: count }, () => oldest);

/** A runner that dies or closes, and another one that takes up what it left: else too rare among random moves. */
const restart = fc
  .record({ dies: fc.boolean(), resumes: fc.constantFrom(EVERYBODY, ["ann"]) })
  .map(({ dies, resumes }): Move[] => [
    ...(dies ? [{ do: "die" } as const] : [{ do: "close", drain: false, limitMs: 1 } as const, ...picks(2)]),
    { do: "pass", ms: 1 },
    { do: "open", resumes },
    ...picks(4),
  ]);

/** A write that is refused, tried again by its job, and meanwhile the job is cancelled. */
const cancelWhileHeld = fc
  .nat(3)
  .map((job): Move[] => [
    { do: "refuse", method: "settle", times: 1 },
    { do: "answer", call: 0, how: "ok" },
    ...picks(3),
    { do: "pass", ms: 1_000 },
    { do: "cancel", job },
  ]);

const scene = fc.oneof({ weight: 2, arbitrary: restart }, { weight: 1, arbitrary: cancelWhileHeld });

function sequenceOf(move: fc.Arbitrary<Move>, minLength: number, maxLength: number): fc.Arbitrary<Move[]> {
  const one = move.map((each) => [each]);
  const moves = fc.oneof({ weight: 40, arbitrary: one }, { weight: 1, arbitrary: scene });
  return fc.array(moves, { minLength, maxLength, size: "max" }).map((all) => all.flat());
}

/** Moves between which everything comes to rest. */
export const movesAtRest = sequenceOf(fc.oneof(...commands), 10, 50);

/** Moves of which most let one pending write of the store happen. */
export const interleavedMoves = sequenceOf(fc.oneof(...commands, { weight: 50, arbitrary: pick }), 20, 130);

export function settingsWith(workers: number): fc.Arbitrary<Settings> {
  return fc.record({
    workers: fc.constant(workers),
    targetsPerJob: fc.constant(3),
    jobsPerCaller: fc.constantFrom(1, 2, 3),
    jobsTotal: fc.constantFrom(2, 3, 4),
    ttlMs: fc.constant(11_000),
    maxBytes: fc.constantFrom(300, 64 * 1024 * 1024),
    retryWaitMs: fc.constant(1_000),
    retryForMs: fc.constant(2_500),
    targetTimeoutMs: fc.constantFrom(0, 0, 3_000),
    maxInterrupted: fc.constantFrom(1, 2),
  });
}
