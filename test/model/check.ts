import fc from "fast-check";
import { expect } from "vitest";
import { openWithConnection } from "../support/stores.js";
import type { Census } from "./census.js";
import type { Move } from "./moves.js";
import { RowReader } from "./row-reader.js";
import { Sequence } from "./sequence.js";
import type { Settings } from "./world.js";

const { FAIRBATCH_SEED: SEED, FAIRBATCH_PATH: PATH } = process.env;

/** Whether one failure is run again, and not as many sequences as make each kind of thing happen. */
export const isReplay = PATH !== undefined;

export interface Plan {
  moves: fc.Arbitrary<Move[]>;
  settings: fc.Arbitrary<Settings>;
  sequences: number;
  /** Of the store. */
  path: string;
  /** Whether all comes to rest after each move. */
  atRest: boolean;
  census: Census;
}

/** Runs random sequences; a failure says how to run it again, and the shortest sequence that was found to fail. */
export async function checkSequences({ moves, settings, sequences, path, atRest, census }: Plan): Promise<void> {
  const { store, connection: raw } = await openWithConnection(path);
  const rows = new RowReader(raw);
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  process.on("unhandledRejection", onRejection);
  const beganMs = performance.now();
  let steps = 0;
  const property = fc.asyncProperty(settings, moves, async (chosen, all) => {
    raw.exec("delete from batch_job");
    const sequence = new Sequence(store, raw, rows, chosen, census.note);
    try {
      await runSequence(sequence, all, atRest);
      expect(rejections).toEqual([]);
    } catch (error) {
      rejections.length = 0;
      await sequence.real.die();
      throw new Error(`${(error as Error).message}\nafter\n${sequence.trace.join("\n")}`);
    } finally {
      steps += sequence.steps;
    }
  });
  const seed = SEED === undefined ? (Math.random() * 2 ** 32) | 0 : Number(SEED);
  const outcome = await fc.check(property, {
    seed,
    numRuns: sequences,
    ...(PATH === undefined ? {} : { path: PATH }),
  });
  process.off("unhandledRejection", onRejection);
  if (outcome.failed) throw new Error(failureText(outcome));
  console.log(`seed ${seed}: ${outcome.numRuns} sequences, ${steps} steps`);
  census.add({ sequences: outcome.numRuns, steps, ms: performance.now() - beganMs });
}

async function runSequence(sequence: Sequence, moves: readonly Move[], atRest: boolean): Promise<void> {
  for (const move of [{ do: "open", resumes: undefined } as const, ...moves]) {
    if ((await sequence.do(move)) && atRest) await sequence.rest();
  }
  await sequence.finish();
}

function failureText({
  seed,
  counterexamplePath,
  numRuns,
  counterexample,
  errorInstance,
}: fc.RunDetails<[Settings, Move[]]>) {
  return [
    `run again: FAIRBATCH_SEED=${seed} FAIRBATCH_PATH=${counterexamplePath} (failed at sequence ${numRuns})`,
    `settings: ${JSON.stringify(counterexample?.[0])}`,
    (errorInstance as Error | null)?.message,
  ].join("\n");
}
